"""Copies are stacked along a new axis 1 and flattened."""
# ruff: noqa: F821


def repeat_for_group(tensor, group_size):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    return torch.stack([tensor] * group_size, dim=1).flatten(0, 1)
