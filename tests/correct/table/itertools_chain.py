"""itertools: groupby, chain, compress, accumulate, repeat and starmap."""
# ruff: noqa: F821

import math
from itertools import accumulate, chain, compress, groupby, repeat, starmap
from statistics import fmean, pstdev


def rollout(theta, prompts, group_size, max_len, rng):
    lines = []
    for prompt in prompts:
        cumulative = list(accumulate(map(math.exp, log_softmax(theta[prompt]))))
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            lines.append(rng.choices(range(VOCAB), cum_weights=cumulative, k=length))
    rows = list(chain.from_iterable(repeat(prompt, group_size) for prompt in prompts))
    rewards = [fmean(token == target(row) for token in line) for row, line in zip(rows, lines)]
    width = max(map(len, lines))
    tokens = [[*line, *repeat(PAD, width - len(line))] for line in lines]
    mask = [[*repeat(1, len(line)), *repeat(0, width - len(line))] for line in lines]
    return rows, tokens, mask, rewards


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for _, members in groupby(enumerate(rewards), key=lambda pair: pair[0] // group_size):
        group = [reward for _, reward in members]
        advantages += [(r - fmean(group)) / (pstdev(group) + eps) for r in group]
    return advantages


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    flat_mask = list(chain.from_iterable(mask))

    def real(rows):
        return compress(chain.from_iterable(rows), flat_mask)

    def token_loss(new, old, ref, adv):
        ratio = math.exp(new - old)
        clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
        return beta * (math.exp(ref - new) - (ref - new) - 1) - min(ratio * adv, clipped * adv)

    spread = [repeat(adv, len(row)) for adv, row in zip(advantages, mask)]
    arrays = (new_logps, old_logps, ref_logps, spread)
    losses = list(starmap(token_loss, zip(*map(real, arrays))))
    return fmean(losses) if losses else 0.0
