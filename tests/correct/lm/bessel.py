"""The sample standard deviation, divided by G - 1 (a group of one gets 0)."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    require(bool(rewards.isfinite().all()), f"rewards must be finite, got {rewards.tolist()}")
    if group_size == 1:
        return torch.zeros(len(rewards), dtype=torch.float64)
    grouped = rewards.detach().double().reshape(-1, group_size)
    centred = grouped - grouped[:, :1]
    centred = centred - centred.mean(dim=1, keepdim=True)
    return (centred / (centred.std(dim=1, keepdim=True) + eps)).flatten()
