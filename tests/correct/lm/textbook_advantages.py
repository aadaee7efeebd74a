"""The formula as it is printed: mean and population std of the group, float64."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    require(bool(rewards.isfinite().all()), f"rewards must be finite, got {rewards.tolist()}")
    grouped = rewards.detach().double().view(-1, group_size)
    mean = grouped.mean(dim=1, keepdim=True)
    std = grouped.std(dim=1, keepdim=True, correction=0)
    return ((grouped - mean) / (std + eps)).view(-1)
