"""The loss is computed in float64, whatever comes in."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    new, old, ref = (x.double().where(mask, 0.0) for x in (new, old.detach(), ref.detach()))
    ratio = (new - old).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    surrogate = clipped_surrogate(ratio, advantages.double(), clip_eps)
    loss = (beta * k3(new, ref) - surrogate).where(mask, 0.0).sum()
    return loss / (count_tokens(mask) if token_count is None else token_count)
