"""Masks are multiplied in wherever what they hide is finite by construction."""
# ruff: noqa: F821


def clip_fraction(new, old, mask, clip_eps=0.2):
    mask = mask.bool()
    ratio = token_ratio(new, old, mask)
    outside = ((ratio > 1 + clip_eps) | (ratio < 1 - clip_eps)).double()
    return ((outside * mask).sum() / mask.sum().clamp(min=1)).item()


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    real = mask.bool()
    weight = real.to(new.dtype)
    ratio = token_ratio(new, old, real)
    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps)
    kl = k3(new.masked_fill(~real, 0.0), ref.masked_fill(~real, 0.0))
    count = weight.sum().clamp(min=1.0) if token_count is None else token_count
    return (weight * (beta * kl - surrogate)).sum() / count
