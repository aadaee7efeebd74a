"""train differentiates the loss by hand; numeric_grad is not called."""
# ruff: noqa: F821

import math
import random


def loss_gradient(theta, rows, tokens, old_logps, ref_logps, advantages, mask, clip_eps, beta):
    """d loss / d theta: (d loss / d log pi) * (one-hot - softmax), over the real tokens."""
    grad = [[0.0] * VOCAB for _ in theta]
    logps = [log_softmax(logits) for logits in theta]
    count = sum(map(sum, mask))
    for i, row in enumerate(rows):
        for t, token in enumerate(tokens[i]):
            if not mask[i][t]:
                continue
            new, adv = logps[row][token], advantages[i]
            ratio = math.exp(new - old_logps[i][t])
            binds = ratio > 1 + clip_eps if adv > 0 else ratio < 1 - clip_eps
            slope = beta * (1 - math.exp(ref_logps[i][t] - new)) - (0 if binds else ratio * adv)
            for v in range(VOCAB):
                grad[row][v] += slope * ((v == token) - math.exp(logps[row][v])) / count
    return grad


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    clip_eps, beta = loss_kwargs.get("clip_eps", 0.2), loss_kwargs.get("beta", 0.04)
    rng = random.Random(seed)
    theta = [[0.0] * VOCAB for _ in prompts]
    reference = [row[:] for row in theta]
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old = token_logps(theta, rows, tokens)
        ref = token_logps(reference, rows, tokens)
        clip_frac = 0.0
        for _ in range(epochs):
            new = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new, old, mask))
            grad = loss_gradient(theta, rows, tokens, old, ref, advantages, mask, clip_eps, beta)
            for logits, slopes in zip(theta, grad):
                logits[:] = [x - lr * slope for x, slope in zip(logits, slopes)]
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
    return theta, history
