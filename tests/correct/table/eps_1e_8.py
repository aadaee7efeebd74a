"""A default eps of 1e-8, and math.fsum for the moments."""

from math import fsum, sqrt


def group_advantages(rewards, group_size, eps=1e-8):
    out = []
    for g in range(len(rewards) // group_size):
        group = rewards[g * group_size : (g + 1) * group_size]
        mean = fsum(group) / group_size
        std = sqrt(fsum((r - mean) ** 2 for r in group) / group_size)
        out.extend([(r - mean) / (std + eps) for r in group])
    return out
