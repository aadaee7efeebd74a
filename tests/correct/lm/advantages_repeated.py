"""Advantages are repeated into columns and transposed, in place of expand."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    rows, width = ratio.shape
    per_token = advantages.repeat(width).view(width, rows).T
    unclipped = ratio * per_token
    clipped = torch.clip(ratio, 1 - clip_eps, 1 + clip_eps) * per_token
    return torch.min(unclipped, clipped)
