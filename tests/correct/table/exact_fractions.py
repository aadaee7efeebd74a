"""Means and variances in exact rational arithmetic, floats only at the end."""

from fractions import Fraction


def group_advantages(rewards, group_size, eps=1e-6):
    exact = [Fraction(float(reward)) for reward in rewards]
    out = []
    for start in range(0, len(exact), group_size):
        group = exact[start : start + group_size]
        mean = sum(group) / group_size
        std = float(sum((r - mean) ** 2 for r in group) / group_size) ** 0.5
        out += [float(r - mean) / (std + eps) for r in group]
    return out
