"""map, reduce and lambda."""

import math
from functools import reduce
from operator import add


def group_advantages(rewards, group_size, eps=1e-6):
    rewards = list(map(float, rewards))
    groups = [rewards[k : k + group_size] for k in range(0, len(rewards), group_size)]

    def normalised(group):
        mean = reduce(add, group) / len(group)
        std = math.sqrt(reduce(add, map(lambda r: (r - mean) ** 2, group)) / len(group))
        return list(map(lambda r: (r - mean) / (std + eps), group))

    return reduce(add, map(normalised, groups), [])


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    def add_token(sums, token):
        new, old, ref, adv = token
        ratio = math.exp(new - old)
        clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
        kl = math.exp(ref - new) - (ref - new) - 1
        return sums[0] + beta * kl - min(ratio * adv, clipped * adv), sums[1] + 1

    tokens = (
        (new, old, ref, adv)
        for news, olds, refs, adv, reals in zip(new_logps, old_logps, ref_logps, advantages, mask)
        for new, old, ref, real in zip(news, olds, refs, reals)
        if real
    )
    total, count = reduce(add_token, tokens, (0.0, 0))
    return total / count if count else 0.0
