"""Tied groups are set to 0; the others are divided by their spread alone."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    require(bool(rewards.isfinite().all()), f"rewards must be finite, got {rewards.tolist()}")
    grouped = rewards.detach().double().view(-1, group_size)
    centred = grouped - grouped.mean(dim=1, keepdim=True)
    spread = grouped.std(dim=1, keepdim=True, unbiased=False)
    tied = spread <= eps
    return torch.where(tied, 0.0, centred / torch.where(tied, 1.0, spread)).flatten()
