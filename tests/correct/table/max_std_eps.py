"""The divisor is max(std, eps), not their sum."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        advantages.extend((r - mean) / max(std, eps) for r in group)
    return advantages
