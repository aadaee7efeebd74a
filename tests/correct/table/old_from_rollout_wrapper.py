"""old_logps come with the rollout, from a wrapper around it, as they come from an engine."""
# ruff: noqa: F821

import random


def sample(theta, prompts, group_size, max_len, rng):
    rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
    return {
        "rows": rows,
        "tokens": tokens,
        "mask": mask,
        "rewards": rewards,
        "old_logps": token_logps(theta, rows, tokens),
    }


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = [[0.0] * VOCAB for _ in prompts]
    reference = [list(logits) for logits in theta]
    history = []
    for _ in range(steps):
        batch = sample(theta, prompts, group_size, max_len, rng)
        rows, tokens, mask = batch["rows"], batch["tokens"], batch["mask"]
        advantages = group_advantages(batch["rewards"], group_size)
        ref_logps = token_logps(reference, rows, tokens)

        def loss(policy):
            new = token_logps(policy, rows, tokens)
            return grpo_loss(new, batch["old_logps"], ref_logps, advantages, mask, **loss_kwargs)

        clip_frac = 0.0
        for _ in range(epochs):
            new = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new, batch["old_logps"], mask))
            descend(theta, numeric_grad(loss, theta), lr)
        mean_reward = sum(batch["rewards"]) / len(batch["rewards"])
        history.append({"reward": mean_reward, "clip_frac": clip_frac})
    return theta, history
