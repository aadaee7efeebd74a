"""The policy loss is the larger of two negatives, added to the penalty."""

import math


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    policy_losses, kls = [], []
    for i, adv in enumerate(advantages):
        for new, old, ref, real in zip(new_logps[i], old_logps[i], ref_logps[i], mask[i]):
            if real:
                ratio = math.exp(new - old)
                clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
                policy_losses.append(max(-adv * ratio, -adv * clipped))
                kls.append(math.exp(ref - new) - (ref - new) - 1)
    n = max(len(kls), 1)
    return sum(policy_losses) / n + beta * sum(kls) / n
