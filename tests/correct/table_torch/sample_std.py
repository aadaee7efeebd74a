"""The sample standard deviation, with a guard for groups of one, over chunk."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    if group_size == 1:
        return torch.zeros(len(rewards), dtype=torch.float64)
    groups = torch.stack(rewards.double().chunk(len(rewards) // group_size))
    return ((groups - groups.mean(1, keepdim=True)) / (groups.std(1, keepdim=True) + eps)).ravel()
