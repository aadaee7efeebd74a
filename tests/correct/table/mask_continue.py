"""Padding is skipped by continue, real tokens are counted by the mask's own sum."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total = 0.0
    for i in range(len(mask)):
        for t in range(len(mask[i])):
            if not mask[i][t]:
                continue
            new, old, ref = new_logps[i][t], old_logps[i][t], ref_logps[i][t]
            ratio = math.exp(new - old)
            clipped = max(min(ratio, 1 + clip_eps), 1 - clip_eps)
            total -= min(ratio * advantages[i], clipped * advantages[i])
            total += beta * (math.exp(ref - new) - (ref - new) - 1)
    count = sum(map(sum, mask))
    return total / count if count else 0.0
