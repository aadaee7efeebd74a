"""Rows are repeated by expand and reshape."""
# ruff: noqa: F821


def repeat_for_group(tensor, group_size):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    rest = tensor.shape[1:]
    return tensor.unsqueeze(1).expand(-1, group_size, *rest).reshape(-1, *rest)
