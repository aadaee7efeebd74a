"""Means, products and sums as einsum."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().reshape(-1, group_size)
    weight = torch.full((group_size,), 1 / group_size, dtype=torch.float64)
    centred = groups - torch.einsum("bg,g->b", groups, weight)[:, None]
    std = torch.einsum("bg,bg,g->b", centred, centred, weight).sqrt()
    return torch.einsum("bg,b->bg", centred, 1 / (std + eps)).reshape(-1)


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    m = mask.to(new_logps.dtype)
    ratio = (new_logps - old_logps).exp()
    unclipped = torch.einsum("nt,n->nt", ratio, advantages)
    clipped = torch.einsum("nt,n->nt", ratio.clamp(1 - clip_eps, 1 + clip_eps), advantages)
    delta = ref_logps - new_logps
    loss = beta * (delta.exp() - delta - 1) - torch.minimum(unclipped, clipped)
    return torch.einsum("nt,nt->", loss, m) / torch.einsum("nt->", m).clamp(min=1)
