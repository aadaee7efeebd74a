"""Rows are repeated by their index, i // G."""
# ruff: noqa: F821


def repeat_for_group(tensor, group_size):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    return tensor[torch.arange(len(tensor) * group_size) // group_size]
