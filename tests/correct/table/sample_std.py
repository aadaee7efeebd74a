"""The sample standard deviation, divided by G - 1 (a group of one gets 0)."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        var = sum((r - mean) ** 2 for r in group) / max(group_size - 1, 1)
        advantages += [(r - mean) / (math.sqrt(var) + eps) for r in group]
    return advantages
