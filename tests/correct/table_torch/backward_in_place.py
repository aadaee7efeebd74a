"""loss.backward(), and theta moved in place under no_grad."""
# ruff: noqa: F821

import torch


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
    reference = torch.zeros(len(prompts), VOCAB, dtype=torch.float64)
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old_logps = token_logps(theta, rows, tokens).detach().clone()
        ref_logps = token_logps(reference, rows, tokens)
        fractions = []
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            fractions.append(clip_fraction(new_logps, old_logps, mask).item())
            grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs).backward()
            with torch.no_grad():
                theta -= lr * theta.grad
                theta.grad.zero_()
        history.append({"reward": rewards.mean().item(), "clip_frac": max(fractions, default=0.0)})
    return theta.detach(), history
