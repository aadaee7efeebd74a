"""rollout returns an int64 mask, and the loss multiplies by it."""
# ruff: noqa: F821

import torch


def rollout(theta, prompts, group_size, max_len, rng):
    probs = torch.softmax(theta.detach(), dim=-1)
    rows, lines = [], []
    for prompt in prompts:
        weights = probs[prompt].tolist()
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            lines.append(rng.choices(range(VOCAB), weights=weights, k=length))
            rows.append(prompt)
    width = max(map(len, lines))
    tokens = torch.full((len(lines), width), PAD)
    mask = torch.zeros((len(lines), width), dtype=torch.int64)
    for i, line in enumerate(lines):
        tokens[i, : len(line)] = torch.tensor(line)
        mask[i, : len(line)] = 1
    hits = [sum(token == target(row) for token in line) for row, line in zip(rows, lines)]
    rewards = torch.tensor([hit / len(line) for hit, line in zip(hits, lines)]).double()
    return torch.tensor(rows), tokens, mask, rewards


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    ratio = torch.exp(new_logps - old_logps)
    a = advantages.unsqueeze(1)
    surrogate = torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    return torch.sum((beta * kl - surrogate) * mask) / max(mask.sum().item(), 1)
