"""train prints its progress and logs more than it has to."""
# ruff: noqa: F821

import random


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = [[0.0] * VOCAB for _ in prompts]
    reference = [list(logits) for logits in theta]
    history = []
    for step in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old_logps = token_logps(theta, rows, tokens)
        ref_logps = token_logps(reference, rows, tokens)

        def loss(theta):
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)

        clip_fracs = [0.0]
        for _ in range(epochs):
            clip_fracs.append(clip_fraction(token_logps(theta, rows, tokens), old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
        entry = {"reward": sum(rewards) / len(rewards), "clip_frac": max(clip_fracs)}
        print(f"step {step}: {entry}")
        history.append({**entry, "loss": loss(theta), "clip_fracs": clip_fracs})
    return theta, history
