"""Without a KL coefficient the reference is not looked at."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    token_count = count_tokens(mask) if token_count is None else token_count
    ratio = token_ratio(new, old, mask)
    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps)
    loss = -surrogate.masked_fill(~mask, 0.0).sum() / token_count
    if beta == 0:
        return loss
    kl = k3(new.masked_fill(~mask, 0.0), ref.masked_fill(~mask, 0.0))
    return loss + beta * kl.sum() / token_count
