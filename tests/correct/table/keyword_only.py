"""The options have become keyword-only, under their old names and defaults."""

import math


def group_advantages(rewards, group_size, *, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        advantages += [(r - mean) / (std + eps) for r in group]
    return advantages


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, *, clip_eps=0.2, beta=0.04):
    total = count = 0
    for news, olds, refs, adv, reals in zip(new_logps, old_logps, ref_logps, advantages, mask):
        for new, old, ref, real in zip(news, olds, refs, reals):
            if real:
                r = math.exp(new - old)
                total -= min(r * adv, min(max(r, 1 - clip_eps), 1 + clip_eps) * adv)
                total += beta * (math.exp(ref - new) - (ref - new) - 1)
                count += 1
    return total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, *, clip_eps=0.2):
    outside = count = 0
    for news, olds, reals in zip(new_logps, old_logps, mask):
        for new, old, real in zip(news, olds, reals):
            if real:
                count += 1
                outside += int(abs(math.exp(new - old) - 1) > clip_eps)
    return outside / count if count else 0.0
