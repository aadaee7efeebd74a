"""old_logps are the new ones of the first epoch, kept for the later epochs."""
# ruff: noqa: F821

import random


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
        ref_logps = token_logps(reference, rows, tokens)
        old_logps = None
        clip_frac = 0.0
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            if old_logps is None:
                old_logps = new_logps

            def loss(theta, old=old_logps):
                new = token_logps(theta, rows, tokens)
                return grpo_loss(new, old, ref_logps, advantages, mask, **loss_kwargs)

            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
    return theta, history
