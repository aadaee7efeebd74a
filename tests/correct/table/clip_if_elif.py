"""The clip is an if / elif / else."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total, count = 0.0, 0
    for news, olds, refs, adv, reals in zip(new_logps, old_logps, ref_logps, advantages, mask):
        for new, old, ref, real in zip(news, olds, refs, reals):
            if not real:
                continue
            ratio = math.exp(new) / math.exp(old)
            if ratio < 1 - clip_eps:
                clipped = 1 - clip_eps
            elif ratio > 1 + clip_eps:
                clipped = 1 + clip_eps
            else:
                clipped = ratio
            unclipped_term, clipped_term = ratio * adv, clipped * adv
            if unclipped_term < clipped_term:
                surrogate = unclipped_term
            else:
                surrogate = clipped_term
            kl = math.exp(ref) / math.exp(new) - (ref - new) - 1
            total += -surrogate + beta * kl
            count += 1
    return total / count if count else 0.0
