"""min(ratio * A, g(A)) with g(A) = (1 +- eps) A, the form of OpenAI's Spinning Up."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total, count = 0.0, 0
    for i, adv in enumerate(advantages):
        bound = (1 + math.copysign(clip_eps, adv)) * adv
        for new, old, ref, real in zip(new_logps[i], old_logps[i], ref_logps[i], mask[i]):
            if real:
                total -= min(math.exp(new - old) * adv, bound)
                total += beta * (math.exp(ref - new) - (ref - new) - 1)
                count += 1
    return total / count if count else 0.0
