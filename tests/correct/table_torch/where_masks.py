"""torch.where: padding gets safe inputs before the exponentials, and 0 after them."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = mask != 0
    zero = torch.zeros((), dtype=new_logps.dtype)
    log_ratio = torch.where(real, new_logps - old_logps, zero)
    delta = torch.where(real, ref_logps - new_logps, zero)
    ratio = log_ratio.exp()
    a = advantages[:, None]
    unclipped, clipped = ratio * a, ratio.clip(1 - clip_eps, 1 + clip_eps) * a
    surrogate = torch.where(unclipped < clipped, unclipped, clipped)
    loss = torch.where(real, beta * (delta.exp() - delta - 1) - surrogate, zero)
    return loss.sum() / torch.where(real.any(), real.sum(), 1)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    real = mask != 0
    log_ratio = torch.where(real, new_logps - old_logps, 0.0)
    outside = torch.where(real, (log_ratio.exp() - 1).abs() > clip_eps, False)
    return outside.sum() / torch.where(real.any(), real.sum(), 1)
