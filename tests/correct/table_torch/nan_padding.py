"""Padding becomes NaN in the loss of each token, and nansum leaves it out."""

import math

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = mask.bool()
    new, old, ref = (torch.where(real, x, 0.0) for x in (new_logps, old_logps, ref_logps))
    ratio = torch.exp(new - old)
    a = advantages.unsqueeze(1)
    surrogate = torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    loss = beta * (torch.exp(ref - new) - (ref - new) - 1) - surrogate
    return loss.masked_fill(~real, math.nan).nansum() / real.sum().clamp(min=1)
