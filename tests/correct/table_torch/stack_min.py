"""stack and min over the new axis; clip by two one-sided clamps."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = mask.bool()
    ratio = torch.exp(new_logps - old_logps)
    clipped = ratio.clamp(min=1 - clip_eps).clamp(max=1 + clip_eps)
    both = torch.stack((ratio, clipped)) * advantages[None, :, None]  # (2, N, T)
    surrogate = both.min(dim=0).values
    delta = ref_logps - new_logps
    loss = beta * (torch.exp(delta) - delta - 1) - surrogate
    return loss[real].sum() / real.sum().clamp(min=1)
