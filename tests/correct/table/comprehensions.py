"""One comprehension per function, and a sum over its list."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    groups = [rewards[k : k + group_size] for k in range(0, len(rewards), group_size)]
    means = [sum(group) / group_size for group in groups]
    stds = [
        math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        for group, mean in zip(groups, means)
    ]
    return [
        (r - mean) / (std + eps) for group, mean, std in zip(groups, means, stds) for r in group
    ]


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    losses = [
        beta * (math.exp(ref - new) - (ref - new) - 1)
        - min(
            math.exp(new - old) * a,
            min(max(math.exp(new - old), 1 - clip_eps), 1 + clip_eps) * a,
        )
        for news, olds, refs, a, reals in zip(new_logps, old_logps, ref_logps, advantages, mask)
        for new, old, ref, real in zip(news, olds, refs, reals)
        if real
    ]
    return sum(losses) / len(losses) if losses else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    outside = [
        not 1 - clip_eps <= math.exp(new - old) <= 1 + clip_eps
        for news, olds, reals in zip(new_logps, old_logps, mask)
        for new, old, real in zip(news, olds, reals)
        if real
    ]
    return sum(outside) / len(outside) if outside else 0.0
