"""Training, put together from a trainer's own parts.

`train` must be what its parts make when they are called in the right order. Whatever is wrong
inside a part is then wrong on both sides, so that a difference speaks of `train` alone.
"""

import math
import random
from typing import Any

VOCAB = 4


def log_softmax(logits: list[float]) -> list[float]:
    """Log-probabilities of a row of small logits, for expected values."""
    total = math.log(sum(math.exp(x) for x in logits))
    return [x - total for x in logits]


def draw_rollout(theta, prompts, group_size, max_len, rng: random.Random):
    """The published draws: (rows, tokens, mask, rewards), tokens padded with 0."""
    rows, completions, rewards = [], [], []
    for prompt in prompts:
        weights = [math.exp(x - max(theta[prompt])) for x in theta[prompt]]
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            completion = rng.choices(range(VOCAB), weights=weights, k=length)
            rows.append(prompt)
            completions.append(completion)
            rewards.append(completion.count(prompt % VOCAB) / length)
    width = max(map(len, completions))
    tokens = [line + [0] * (width - len(line)) for line in completions]
    mask = [[1] * len(line) + [0] * (width - len(line)) for line in completions]
    return rows, tokens, mask, rewards


def replay(trainer, steps, prompts, group_size, max_len, epochs, lr, seed, **loss_kwargs: Any):
    """Theta after `steps` rollouts, each followed by `epochs` descents of the trainer's loss, and what
    was seen at the start of every epoch: `clip_fractions`, and the `ratios` of all tokens, both as
    exp(new - old) and as new / old.

    The old log-probs are taken once per rollout and the reference is the start. The gradient is by
    central differences of `trainer.grpo_loss`.
    """
    rng = random.Random(seed)
    theta = [[0.0] * VOCAB for _ in prompts]
    start = [list(logits) for logits in theta]
    seen: dict[str, list[float]] = {"clip_fractions": [], "ratios": []}
    for _ in range(steps):
        rows, tokens, mask, rewards = draw_rollout(theta, prompts, group_size, max_len, rng)
        advantages = trainer.group_advantages(rewards, group_size)
        ref = trainer.token_logps(start, rows, tokens)
        old = trainer.token_logps(theta, rows, tokens)

        def loss(theta):
            new = trainer.token_logps(theta, rows, tokens)
            return trainer.grpo_loss(new, old, ref, advantages, mask, **loss_kwargs)

        for _ in range(epochs):
            new = trainer.token_logps(theta, rows, tokens)
            seen["clip_fractions"].append(trainer.clip_fraction(new, old, mask))
            for n, o in ((n, o) for lines in zip(new, old) for n, o in zip(*lines)):
                seen["ratios"] += [math.exp(n - o), n / o]
            grad = [[slope(loss, theta, b, v) for v in range(VOCAB)] for b in range(len(theta))]
            theta = [[x - lr * g for x, g in zip(*pair)] for pair in zip(theta, grad)]
    return theta, seen


def slope(loss, theta, b, v, h=1e-4):
    """The derivative of loss(theta) by the logit theta[b][v], by central differences."""
    above = [list(logits) for logits in theta]
    below = [list(logits) for logits in theta]
    above[b][v] += h
    below[b][v] -= h
    return (loss(above) - loss(below)) / (2 * h)
