"""The loss form: the larger of two negated surrogates, negated at the end."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    losses = -advantages[:, None] * ratio
    clipped = -advantages[:, None] * ratio.clamp(1 - clip_eps, 1 + clip_eps)
    return -torch.max(losses, clipped)
