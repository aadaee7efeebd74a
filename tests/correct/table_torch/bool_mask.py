"""rollout returns a bool mask, made row by row."""
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
    mask = torch.zeros((len(lines), width), dtype=torch.bool)
    for i, line in enumerate(lines):
        tokens[i, : len(line)] = torch.tensor(line)
        mask[i, : len(line)] = 1
    hits = [sum(token == target(row) for token in line) for row, line in zip(rows, lines)]
    rewards = torch.tensor([hit / len(line) for hit, line in zip(hits, lines)]).double()
    return torch.tensor(rows), tokens, mask, rewards
