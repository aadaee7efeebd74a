"""A generator yields the real tokens once; loss and clip fraction consume it."""

import math


def real_tokens(mask, *arrays):
    for i, mask_row in enumerate(mask):
        for t, real in enumerate(mask_row):
            if real:
                yield (i, *(array[i][t] for array in arrays))


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    policy = penalty = count = 0
    for i, new, old, ref in real_tokens(mask, new_logps, old_logps, ref_logps):
        ratio = math.exp(new - old)
        low, high = 1 - clip_eps, 1 + clip_eps
        policy += min(advantages[i] * x for x in (ratio, sorted((low, ratio, high))[1]))
        penalty += math.exp(ref - new) + new - ref - 1
        count += 1
    return (beta * penalty - policy) / (count or 1)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    hits = [
        abs(math.expm1(new - old)) > clip_eps
        for _, new, old in real_tokens(mask, new_logps, old_logps)
    ]
    return hits.count(True) / len(hits) if hits else 0.0
