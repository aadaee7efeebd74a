"""unflatten into groups, std_mean, flatten(0, 1) back; the root of variance plus eps."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().unflatten(0, (rewards.numel() // group_size, group_size))
    var, mean = torch.var_mean(groups, dim=-1, correction=0, keepdim=True)
    return ((groups - mean) * torch.rsqrt(var + eps)).flatten(0, 1)
