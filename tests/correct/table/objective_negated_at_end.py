"""The objective is accumulated, and the loss is its negative."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    objective, count = 0.0, 0
    for i, adv in enumerate(advantages):
        for new, old, ref, real in zip(new_logps[i], old_logps[i], ref_logps[i], mask[i]):
            if real:
                ratio = math.exp(new - old)
                clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
                objective += min(ratio * adv, clipped * adv)
                objective -= beta * (math.exp(ref - new) - (ref - new) - 1)
                count += 1
    return -objective / count if count else 0.0
