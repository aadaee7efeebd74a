"""A tied group is found by its extremes and gets 0 from torch.where."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().reshape(-1, group_size)
    tied = groups.amax(dim=1, keepdim=True) == groups.amin(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True, correction=0).masked_fill(tied, 1.0)
    centred = torch.where(tied, torch.zeros_like(groups), groups - groups.mean(1, keepdim=True))
    return (centred / std).flatten()
