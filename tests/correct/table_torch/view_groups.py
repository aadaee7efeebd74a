"""view, var and sqrt, with the groups' moments repeated to the rows."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    rewards = rewards.to(torch.float64).contiguous()
    grouped = rewards.view(-1, group_size)
    mean = grouped.mean(dim=1).repeat_interleave(group_size)
    std = grouped.var(dim=1, unbiased=False).sqrt().repeat_interleave(group_size)
    return (rewards - mean) / (std + eps)
