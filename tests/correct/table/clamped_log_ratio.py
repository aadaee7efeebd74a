"""Log-ratio and KL gap are clamped to +-20 before they are exponentiated."""

import math


def safe_exp(x, bound=20.0):
    return math.exp(max(-bound, min(bound, x)))


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total, count = 0.0, 0
    for new_row, old_row, ref_row, advantage, mask_row in zip(
        new_logps, old_logps, ref_logps, advantages, mask
    ):
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask_row):
            if real:
                ratio = safe_exp(new - old)
                clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
                kl = safe_exp(ref - new) - (ref - new) - 1
                total += beta * kl - min(ratio * advantage, clipped * advantage)
                count += 1
    return total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    ratios = [
        safe_exp(new - old)
        for new_row, old_row, mask_row in zip(new_logps, old_logps, mask)
        for new, old, real in zip(new_row, old_row, mask_row)
        if real
    ]
    return sum(abs(r - 1) > clip_eps for r in ratios) / len(ratios) if ratios else 0.0
