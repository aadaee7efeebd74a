"""The old policy and the reference are deep copies of theta, evaluated anew in every epoch."""
# ruff: noqa: F821

import copy
import random


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    policy = [[0.0] * VOCAB for _ in prompts]
    ref_policy = copy.deepcopy(policy)
    history = []
    for _ in range(steps):
        old_policy = copy.deepcopy(policy)
        rows, tokens, mask, rewards = rollout(old_policy, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)

        def loss(theta):
            return grpo_loss(
                token_logps(theta, rows, tokens),
                token_logps(old_policy, rows, tokens),
                token_logps(ref_policy, rows, tokens),
                advantages,
                mask,
                **loss_kwargs,
            )

        seen = []
        for _ in range(epochs):
            new, old = (token_logps(p, rows, tokens) for p in (policy, old_policy))
            seen.append(clip_fraction(new, old, mask))
            descend(policy, numeric_grad(loss, policy), lr)
        mean_reward = sum(rewards) / len(rewards)
        history.append({"reward": mean_reward, "clip_frac": max(seen, default=0.0)})
    return policy, history
