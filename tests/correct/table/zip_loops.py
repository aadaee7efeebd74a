"""Everything walks in step with zip; the batch is flattened first."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for group in zip(*[iter(rewards)] * group_size):
        mean = sum(group) / group_size
        spread = 0.0
        for reward in group:
            spread += (reward - mean) ** 2
        for reward in group:
            advantages.append((reward - mean) / (math.sqrt(spread / group_size) + eps))
    return advantages


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    flat = []
    for adv, *rows in zip(advantages, new_logps, old_logps, ref_logps, mask):
        for new, old, ref, keep in zip(*rows):
            if keep:
                flat.append((adv, new, old, ref))
    if not flat:
        return 0.0
    loss = 0.0
    for adv, new, old, ref in flat:
        r = math.exp(new - old)
        loss -= min(r * adv, max(1 - clip_eps, min(1 + clip_eps, r)) * adv)
        loss += beta * (math.exp(ref - new) - 1 - ref + new)
    return loss / len(flat)
