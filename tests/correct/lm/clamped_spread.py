"""The spread is at least eps, in place of having eps added."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    require(bool(rewards.isfinite().all()), f"rewards must be finite, got {rewards.tolist()}")
    grouped = rewards.detach().double().unflatten(0, (-1, group_size))
    shifted = grouped - grouped[:, :1]
    centred = shifted - shifted.mean(dim=1, keepdim=True)
    spread = centred.pow(2).mean(dim=1, keepdim=True).sqrt().clamp(min=eps)
    return (centred / spread).reshape(-1)
