"""Advantages are a column, (N, 1), returned and taken; a flat one is taken too."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().reshape(-1, group_size)
    centred = groups - groups.mean(1, True)
    std = centred.square().mean(1, True).sqrt()
    return (centred / (std + eps)).reshape(-1, 1)


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    advantages = advantages.reshape(-1, 1)  # (N, 1)
    real = mask.bool()
    ratio = torch.exp(new_logps - old_logps)
    clipped = torch.clip(ratio, 1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantages, clipped * advantages)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    return (beta * kl - surrogate)[real].sum() / real.sum().clamp(min=1)
