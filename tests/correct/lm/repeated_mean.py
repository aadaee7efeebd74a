"""The group mean is laid out by repeat_interleave in place of keepdim."""
# ruff: noqa: F821


@torch.no_grad()
def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    require(bool(rewards.isfinite().all()), f"rewards must be finite, got {rewards.tolist()}")
    values = rewards.to(torch.float64)
    group = torch.arange(len(values)) // group_size
    shifted = values - values[group * group_size]
    mean = torch.zeros(len(values) // group_size, dtype=torch.float64)
    mean.index_add_(0, group, shifted / group_size)
    centred = shifted - mean.repeat_interleave(group_size)
    std = centred.view(-1, group_size).square().mean(dim=1).sqrt()
    return centred / (std[group] + eps)
