"""The bare exercise: no argument checks at all and no special case for an empty batch."""
# ruff: noqa: F821

import math
import random


def rollout(theta, prompts, group_size, max_len, rng):
    rows, lines, rewards = [], [], []
    for prompt in prompts:
        probs = [math.exp(x) for x in log_softmax(theta[prompt])]
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            line = rng.choices(range(VOCAB), weights=probs, k=length)
            rows.append(prompt)
            lines.append(line)
            rewards.append(sum(token == target(prompt) for token in line) / length)
    width = max(map(len, lines))
    tokens = [line + [PAD] * (width - len(line)) for line in lines]
    mask = [[1] * len(line) + [0] * (width - len(line)) for line in lines]
    return rows, tokens, mask, rewards


def token_logps(theta, rows, tokens):
    return [[log_softmax(theta[row])[token] for token in line] for row, line in zip(rows, tokens)]


def group_advantages(rewards, group_size, eps=1e-6):
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / group_size
        std = math.sqrt(sum((r - mean) ** 2 for r in group) / group_size)
        advantages += [(r - mean) / (std + eps) for r in group]
    return advantages


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    total = count = 0
    for i, adv in enumerate(advantages):
        for t, real in enumerate(mask[i]):
            if real:
                ratio = math.exp(new_logps[i][t] - old_logps[i][t])
                clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
                delta = ref_logps[i][t] - new_logps[i][t]
                total += beta * (math.exp(delta) - delta - 1)
                total -= min(ratio * adv, clipped * adv)
                count += 1
    return total / count


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    outside = count = 0
    for i, reals in enumerate(mask):
        for t, real in enumerate(reals):
            if real:
                outside += abs(math.exp(new_logps[i][t] - old_logps[i][t]) - 1) > clip_eps
                count += 1
    return outside / count


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = [[0.0] * VOCAB for _ in prompts]
    reference = [list(logits) for logits in theta]
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old, ref = token_logps(theta, rows, tokens), token_logps(reference, rows, tokens)

        def loss(theta):
            new = token_logps(theta, rows, tokens)
            return grpo_loss(new, old, ref, advantages, mask, **loss_kwargs)

        clip_frac = 0.0
        for _ in range(epochs):
            now = clip_fraction(token_logps(theta, rows, tokens), old, mask)
            clip_frac = max(clip_frac, now)
            descend(theta, numeric_grad(loss, theta), lr)
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
    return theta, history
