"""The minimum by the sign of A: A > 0 caps the ratio above, A < 0 floors it below."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total, count = 0.0, 0
    for i, adv in enumerate(advantages):
        for new, old, ref, real in zip(new_logps[i], old_logps[i], ref_logps[i], mask[i]):
            if not real:
                continue
            ratio = math.exp(new - old)
            if adv > 0:
                surrogate = min(ratio, 1 + clip_eps) * adv
            else:
                surrogate = max(ratio, 1 - clip_eps) * adv
            total += beta * (math.exp(ref - new) - (ref - new) - 1) - surrogate
            count += 1
    return total / count if count else 0.0
