"""Tuples come back where lists were."""
# ruff: noqa: F821

import math


def log_softmax(logits):
    top = max(logits)
    log_total = top + math.log(sum(math.exp(x - top) for x in logits))
    return tuple(x - log_total for x in logits)


def rollout(theta, prompts, group_size, max_len, rng):
    samples = []
    for prompt in prompts:
        probs = tuple(math.exp(logp) for logp in log_softmax(theta[prompt]))
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            samples.append((prompt, tuple(rng.choices(range(VOCAB), weights=probs, k=length))))
    width = max(len(line) for _, line in samples)
    rows = tuple(prompt for prompt, _ in samples)
    tokens = tuple(line + (PAD,) * (width - len(line)) for _, line in samples)
    mask = tuple(tuple(int(t < len(line)) for t in range(width)) for _, line in samples)
    rewards = tuple(line.count(target(prompt)) / len(line) for prompt, line in samples)
    return rows, tokens, mask, rewards


def token_logps(theta, rows, tokens):
    table = tuple(map(log_softmax, theta))
    return tuple(tuple(table[row][token] for token in line) for row, line in zip(rows, tokens))


def group_advantages(rewards, group_size, eps=1e-6):
    out = ()
    for start in range(0, len(rewards), group_size):
        group = tuple(rewards[start : start + group_size])
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        out += tuple((r - mean) / (std + eps) for r in group)
    return out


def numeric_grad(f, theta, h=1e-4):
    grad = []
    for logits in theta:
        slopes = []
        for v, x in enumerate(tuple(logits)):
            logits[v] = x + h
            above = f(theta)
            logits[v] = x - h
            slopes.append((above - f(theta)) / (2 * h))
            logits[v] = x
        grad.append(tuple(slopes))
    return tuple(grad)
