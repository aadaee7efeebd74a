"""Indices everywhere: enumerate and range(len(...)), the mask skipped by continue."""

import math


def group_advantages(rewards, group_size, eps=1e-6):
    means, stds = {}, {}
    for g in range(len(rewards) // group_size):
        members = [rewards[g * group_size + k] for k in range(group_size)]
        means[g] = sum(members) / group_size
        stds[g] = (sum((x - means[g]) ** 2 for x in members) / group_size) ** 0.5
    out = []
    for i, reward in enumerate(rewards):
        out.append((reward - means[i // group_size]) / (stds[i // group_size] + eps))
    return out


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    loss, n_tokens = 0.0, 0
    for i, adv in enumerate(advantages):
        for t in range(len(mask[i])):
            if mask[i][t] == 0:
                continue
            ratio = math.exp(new_logps[i][t] - old_logps[i][t])
            bounded = ratio
            if bounded < 1 - clip_eps:
                bounded = 1 - clip_eps
            if bounded > 1 + clip_eps:
                bounded = 1 + clip_eps
            gap = ref_logps[i][t] - new_logps[i][t]
            loss = loss - min(ratio * adv, bounded * adv) + beta * (math.exp(gap) - gap - 1)
            n_tokens += 1
    return loss / max(n_tokens, 1)
