"""Every term is computed everywhere and multiplied by the mask."""

import torch


def masked_mean(values, mask):
    return (values * mask).sum() / mask.sum().clamp(min=1)


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    log_ratio = new_logps - old_logps
    ratio = torch.exp(log_ratio)
    a = advantages.view(-1, 1)
    surrogate = torch.minimum(ratio * a, torch.clamp(ratio, 1 - clip_eps, 1 + clip_eps) * a)
    delta = ref_logps - new_logps
    kl = torch.expm1(delta) - delta
    return masked_mean(beta * kl - surrogate, mask)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    ratio = torch.exp(new_logps - old_logps)
    return masked_mean(((ratio < 1 - clip_eps) | (ratio > 1 + clip_eps)).double(), mask)
