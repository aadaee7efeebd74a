"""The advantages are made in numpy and returned as an array's tensor."""

import numpy as np
import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = np.asarray(rewards.tolist()).reshape(-1, group_size)
    centred = groups - groups.mean(axis=1, keepdims=True)
    return torch.from_numpy((centred / (groups.std(axis=1, keepdims=True) + eps)).ravel())
