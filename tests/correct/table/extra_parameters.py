"""More options at the end of the signature, with defaults that change nothing."""

import math


def group_advantages(rewards, group_size, eps=1e-6, scale=True, ddof=0):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / (group_size - ddof))
        advantages += [(r - mean) / (std + eps if scale else 1.0) for r in group]
    return advantages


def grpo_loss(
    new_logps,
    old_logps,
    ref_logps,
    advantages,
    mask,
    clip_eps=0.2,
    beta=0.04,
    clip_eps_high=None,
    **unused,
):
    low, high = 1 - clip_eps, 1 + (clip_eps if clip_eps_high is None else clip_eps_high)
    total = count = 0
    for i, adv in enumerate(advantages):
        for new, old, ref, real in zip(new_logps[i], old_logps[i], ref_logps[i], mask[i]):
            if real:
                ratio = math.exp(new - old)
                total -= min(ratio * adv, min(max(ratio, low), high) * adv)
                total += beta * (math.exp(ref - new) - (ref - new) - 1) if beta else 0.0
                count += 1
    return total / count if count else 0.0
