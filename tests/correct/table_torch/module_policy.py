"""The policy is an nn.Module; the old one and the reference are deep copies of it."""
# ruff: noqa: F821

import copy

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.logits = nn.Embedding(count, VOCAB, dtype=torch.float64)
        nn.init.zeros_(self.logits.weight)

    def forward(self, rows, tokens):
        return token_logps(self.logits.weight, rows, tokens)


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    policy = Table(len(prompts))
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.SGD(policy.parameters(), lr=lr)
    history = []
    for _ in range(steps):
        old = copy.deepcopy(policy).requires_grad_(False)
        weight = old.logits.weight
        rows, tokens, mask, rewards = rollout(weight, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        clip_frac = 0.0
        for _ in range(epochs):
            new_logps, old_logps = policy(rows, tokens), old(rows, tokens)
            clip_frac = max(clip_frac, float(clip_fraction(new_logps, old_logps, mask)))
            ref_logps = reference(rows, tokens)
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append({"reward": float(rewards.mean()), "clip_frac": clip_frac})
    return policy.logits.weight.detach(), history
