"""eps inside the root: sqrt(var + eps)."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        var = sum(r * r for r in group) / group_size - mean * mean
        advantages += [(r - mean) / math.sqrt(max(var, 0.0) + eps) for r in group]
    return advantages
