"""A group of one single value is recognised by its set, and gets integer zeros."""

from statistics import fmean, pstdev


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        if len(set(group)) == 1:
            advantages += [0] * group_size
        else:
            mean, std = fmean(group), pstdev(group)
            advantages += [(r - mean) / std for r in group]
    return advantages
