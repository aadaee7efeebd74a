"""Group statistics in plain Python, one group at a time."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    values, advantages = rewards.detach().double().tolist(), []
    require(all(map(math.isfinite, values)), f"rewards must be finite, got {values}")
    for start in range(0, len(values), group_size):
        group = values[start : start + group_size]
        mean = math.fsum(group) / group_size
        std = math.sqrt(math.fsum((value - mean) ** 2 for value in group) / group_size)
        advantages += [(value - mean) / (std + eps) for value in group]
    return torch.tensor(advantages, dtype=torch.float64)
