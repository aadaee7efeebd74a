"""Padding is only ever at the end of a row, so the row is left at the first of it."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total, count = 0.0, 0
    for i, advantage in enumerate(advantages):
        for t, real in enumerate(mask[i]):
            if not real:
                break
            new, old, ref = new_logps[i][t], old_logps[i][t], ref_logps[i][t]
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            total -= min(ratio * advantage, clipped * advantage)
            total += beta * (math.exp(ref - new) - (ref - new) - 1)
            count += 1
    return total / count if count else 0.0
