"""Spinning Up's form: min(ratio * A, g(eps, A))."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    per_token = advantages[:, None].expand_as(ratio)
    bound = torch.where(per_token >= 0, (1 + clip_eps) * per_token, (1 - clip_eps) * per_token)
    return torch.min(ratio * per_token, bound)
