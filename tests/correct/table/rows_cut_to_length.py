"""Each row is cut to its own length first, then summed without looking at the mask again."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    lengths = [int(sum(row)) for row in mask]
    total = 0.0
    for new_row, old_row, ref_row, a, length in zip(
        new_logps, old_logps, ref_logps, advantages, lengths
    ):
        for new, old, ref in zip(new_row[:length], old_row[:length], ref_row[:length]):
            r = math.exp(new - old)
            total -= min(r * a, min(max(r, 1 - clip_eps), 1 + clip_eps) * a)
            total += beta * (math.exp(ref - new) - (ref - new) - 1)
    return total / sum(lengths) if sum(lengths) else 0.0
