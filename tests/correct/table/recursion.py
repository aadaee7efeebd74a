"""Recursion: the first group and the rest, the first row and the rest."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    if not len(rewards):
        return []
    head, rest = rewards[:group_size], rewards[group_size:]
    mean = sum(head) / len(head)
    std = math.sqrt(sum((r - mean) ** 2 for r in head) / len(head))
    return [(r - mean) / (std + eps) for r in head] + group_advantages(rest, group_size, eps)


def summed(rows, clip_eps, beta):
    """(sum of token losses, number of real tokens) of a list of rows."""
    if not rows:
        return 0.0, 0
    (news, olds, refs, adv, reals), *rest = rows
    total, count = summed(rest, clip_eps, beta)
    for new, old, ref, real in zip(news, olds, refs, reals):
        if real:
            ratio = math.exp(new - old)
            total -= min(ratio * adv, min(max(ratio, 1 - clip_eps), 1 + clip_eps) * adv)
            total += beta * (math.exp(ref - new) - (ref - new) - 1)
            count += 1
    return total, count


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    rows = list(zip(new_logps, old_logps, ref_logps, advantages, mask))
    total, count = summed(rows, clip_eps, beta)
    return total / count if count else 0.0
