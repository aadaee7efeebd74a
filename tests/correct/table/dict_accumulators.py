"""Sums are collected in dictionaries, by group and by name."""

import math
from collections import Counter, defaultdict


def group_advantages(rewards, group_size, eps=1e-6):
    groups = defaultdict(list)
    for i, reward in enumerate(rewards):
        groups[i // group_size].append(reward)
    stats = {}
    for g, members in groups.items():
        mean = sum(members) / len(members)
        var = sum((r - mean) ** 2 for r in members) / len(members)
        stats[g] = {"mean": mean, "std": math.sqrt(var)}
    return [
        (reward - stats[i // group_size]["mean"]) / (stats[i // group_size]["std"] + eps)
        for i, reward in enumerate(rewards)
    ]


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    sums = Counter()
    for i, adv in enumerate(advantages):
        for t, real in enumerate(mask[i]):
            if real:
                ratio = math.exp(new_logps[i][t] - old_logps[i][t])
                clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
                delta = ref_logps[i][t] - new_logps[i][t]
                sums["surrogate"] += min(ratio * adv, clipped * adv)
                sums["kl"] += math.exp(delta) - delta - 1
                sums["tokens"] += 1
    return (beta * sums["kl"] - sums["surrogate"]) / max(sums["tokens"], 1)
