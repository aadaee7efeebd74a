"""clip_fraction is a Python float, and a batch of padding is answered first."""
# ruff: noqa: F821

import torch


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    with torch.no_grad():
        real = mask.bool()
        if not real.any():
            return 0.0
        return float((((new_logps - old_logps).exp() - 1).abs() > clip_eps)[real].double().mean())


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = torch.zeros((len(prompts), VOCAB), dtype=torch.double)
    reference = theta.clone()
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old = token_logps(theta, rows, tokens)
        ref = token_logps(reference, rows, tokens)
        seen = [0.0]
        for _ in range(epochs):
            theta.requires_grad_()
            new = token_logps(theta, rows, tokens)
            seen.append(clip_fraction(new, old, mask))
            grpo_loss(new, old, ref, advantages, mask, **loss_kwargs).backward()
            theta = (theta - lr * theta.grad).detach()
        history.append({"reward": float(rewards.mean()), "clip_frac": max(seen)})
    return theta.tolist(), history
