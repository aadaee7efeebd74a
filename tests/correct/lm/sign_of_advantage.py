"""One side is clipped, chosen by the sign of the advantage."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    per_token = advantages.unsqueeze(-1)
    limited = torch.where(
        per_token >= 0, ratio.clamp(max=1 + clip_eps), ratio.clamp(min=1 - clip_eps)
    )
    return limited * per_token
