"""The mask is a factor: every position is computed, padding is multiplied by 0."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total = 0.0
    for new_row, old_row, ref_row, advantage, mask_row in zip(
        new_logps, old_logps, ref_logps, advantages, mask
    ):
        for new, old, ref, m in zip(new_row, old_row, ref_row, mask_row):
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
            kl = math.exp(ref - new) - (ref - new) - 1
            total += (beta * kl - surrogate) * m
    return total / max(sum(sum(mask_row) for mask_row in mask), 1)
