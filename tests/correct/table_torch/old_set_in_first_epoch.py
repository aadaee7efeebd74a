"""old_logps is the first epoch's new_logps, detached (TRL does this)."""
# ruff: noqa: F821

import torch


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
    ref_theta = theta.detach().clone()
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        ref_logps = token_logps(ref_theta, rows, tokens)
        old_logps, clip_frac = None, 0.0
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            if old_logps is None:
                old_logps = new_logps.detach()
            clip_frac = max(clip_frac, float(clip_fraction(new_logps, old_logps, mask)))
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            theta = (theta - lr * torch.autograd.grad(loss, theta)[0]).detach().requires_grad_(True)
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
    return theta.detach(), history
