"""Nothing is changed in place: every update builds a new theta, and so does every probe."""
# ruff: noqa: F821

import random


def moved(theta, p, v, by):
    return [
        [x + by * (i == p and j == v) for j, x in enumerate(row)] for i, row in enumerate(theta)
    ]


def numeric_grad(f, theta, h=1e-4):
    return [
        [(f(moved(theta, p, v, h)) - f(moved(theta, p, v, -h))) / (2 * h) for v in range(len(row))]
        for p, row in enumerate(theta)
    ]


def updated(theta, grad, lr):
    return [[x - lr * g for x, g in zip(row, slopes)] for row, slopes in zip(theta, grad)]


def one_step(theta, reference, prompts, group_size, max_len, epochs, lr, rng, loss_kwargs):
    old_theta = theta
    rows, tokens, mask, rewards = rollout(old_theta, prompts, group_size, max_len, rng)
    advantages = group_advantages(rewards, group_size)
    old, ref = (token_logps(policy, rows, tokens) for policy in (old_theta, reference))

    def loss(policy):
        new = token_logps(policy, rows, tokens)
        return grpo_loss(new, old, ref, advantages, mask, **loss_kwargs)

    clip_frac = 0.0
    for _ in range(epochs):
        clip_frac = max(clip_frac, clip_fraction(token_logps(theta, rows, tokens), old, mask))
        theta = updated(theta, numeric_grad(loss, theta), lr)
    return theta, {"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac}


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    start = theta = [[0.0] * VOCAB for _ in prompts]
    history = []
    for _ in range(steps):
        theta, entry = one_step(
            theta, start, prompts, group_size, max_len, epochs, lr, rng, loss_kwargs
        )
        history.append(entry)
    return theta, history
