"""A tied group is divided by 1 instead: its deviations are zero already."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        deviations = [r - mean for r in group]
        std = math.hypot(*deviations) / math.sqrt(group_size)
        divisor = std if std > eps else 1.0
        advantages += [deviation / divisor for deviation in deviations]
    return advantages
