"""Without a given count the loss is a plain mean over picked tokens."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    if not mask.any():
        return (new * 0.0).where(mask, 0.0).sum()
    surrogate = clipped_surrogate(token_ratio(new, old, mask), advantages.to(new.dtype), clip_eps)
    kl = k3(new.where(mask, 0.0), ref.where(mask, 0.0))
    losses = (beta * kl - surrogate)[mask]
    return losses.mean() if token_count is None else losses.sum() / token_count
