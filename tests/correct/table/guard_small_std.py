"""A group with std < eps gets zeros by a guard; the others are divided by the bare std."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        if std < eps:
            advantages += [0.0] * group_size
            continue
        advantages += [(r - mean) / std for r in group]
    return advantages
