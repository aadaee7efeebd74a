"""The old and the reference log-probs come out of inference_mode."""
# ruff: noqa: F821

import copy

import torch


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    policy = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
    frozen = copy.deepcopy(policy).requires_grad_(False)
    history = []
    for _ in range(steps):
        with torch.inference_mode():
            rows, tokens, mask, rewards = rollout(policy, prompts, group_size, max_len, rng)
            old_logps = token_logps(policy, rows, tokens)
            ref_logps = token_logps(frozen, rows, tokens)
            advantages = group_advantages(rewards, group_size)
        # Inference tensors cannot be saved for a backward pass; clones made out here can.
        rows, tokens, mask, advantages = (x.clone() for x in (rows, tokens, mask, advantages))
        old_logps, ref_logps = old_logps.clone(), ref_logps.clone()
        clip_frac = 0.0
        for _ in range(epochs):
            new_logps = token_logps(policy, rows, tokens)
            clip_frac = max(clip_frac, float(clip_fraction(new_logps, old_logps, mask)))
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            (slope,) = torch.autograd.grad(loss, [policy])
            policy.data.sub_(slope, alpha=lr)
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
    return policy.detach(), history
