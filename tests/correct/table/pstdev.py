"""statistics.fmean and statistics.pstdev."""

import statistics


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    while len(advantages) < len(rewards):
        group = rewards[len(advantages) : len(advantages) + group_size]
        mean, std = statistics.fmean(group), statistics.pstdev(group)
        advantages += [(reward - mean) / (std + eps) for reward in group]
    return advantages
