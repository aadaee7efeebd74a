"""The mask is made of True and False, and is read as such."""
# ruff: noqa: F821

import math


def rollout(theta, prompts, group_size, max_len, rng):
    rows, lines = [], []
    for prompt in prompts:
        probs = [math.exp(x) for x in log_softmax(theta[prompt])]
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            rows.append(prompt)
            lines.append(rng.choices(range(VOCAB), probs, k=length))
    rewards = [line.count(target(row)) / len(line) for row, line in zip(rows, lines)]
    width = max(len(line) for line in lines)
    tokens = [[line[t] if t < len(line) else PAD for t in range(width)] for line in lines]
    mask = [[t < len(line) for t in range(width)] for line in lines]
    return rows, tokens, mask, rewards


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = [(i, t) for i in range(len(mask)) for t in range(len(mask[i])) if bool(mask[i][t])]
    total = 0.0
    for i, t in real:
        ratio = math.exp(new_logps[i][t] - old_logps[i][t])
        clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
        delta = ref_logps[i][t] - new_logps[i][t]
        total -= min(ratio * advantages[i], clipped * advantages[i])
        total += beta * (math.exp(delta) - delta - 1)
    return total / len(real) if real else 0.0
