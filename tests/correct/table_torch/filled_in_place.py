"""A tensor of zeros of ours, filled where the group has a spread."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().reshape(-1, group_size)
    std = groups.std(dim=1, correction=0)
    spread = std > eps
    out = torch.zeros_like(groups)
    chosen = groups[spread]
    out[spread] = (chosen - chosen.mean(1, keepdim=True)) / std[spread].unsqueeze(1)
    return out.flatten()
