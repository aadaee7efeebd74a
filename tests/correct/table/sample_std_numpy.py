"""numpy with ddof=1 and eps 1e-4, as TRL does."""

import numpy as np


def group_advantages(rewards, group_size, eps=1e-4):
    grouped = np.array(rewards, dtype=float).reshape(-1, group_size)
    if group_size == 1:
        return np.zeros(len(rewards))
    mean = grouped.mean(axis=1).repeat(group_size)
    std = grouped.std(axis=1, ddof=1).repeat(group_size)
    return (np.array(rewards) - mean) / (std + eps)
