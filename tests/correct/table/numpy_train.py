"""train keeps theta in one numpy array, and returns it."""
# ruff: noqa: F821

import random

import numpy as np


def numeric_grad(f, theta, h=1e-4):
    grad = np.zeros((len(theta), len(theta[0])))
    for i, v in np.ndindex(grad.shape):
        x = theta[i][v]
        theta[i][v] = x + h
        grad[i, v] = f(theta)
        theta[i][v] = x - h
        grad[i, v] -= f(theta)
        theta[i][v] = x
    return grad / (2 * h)


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = np.zeros((len(prompts), VOCAB))
    start = theta.copy()
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old_logps = token_logps(theta, rows, tokens)
        ref_logps = token_logps(start, rows, tokens)

        def objective(table):
            new = token_logps(table, rows, tokens)
            return grpo_loss(new, old_logps, ref_logps, advantages, mask, **loss_kwargs)

        fractions = [0.0]
        for _ in range(epochs):
            fractions.append(clip_fraction(token_logps(theta, rows, tokens), old_logps, mask))
            theta -= lr * numeric_grad(objective, theta)
        history.append({"reward": np.mean(rewards), "clip_frac": np.max(fractions)})
    return theta, history
