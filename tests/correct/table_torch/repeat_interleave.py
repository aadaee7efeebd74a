"""Flat tensors of all positions, each advantage repeated per token, a boolean index at the end."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    count, width = mask.shape
    flat = advantages.repeat_interleave(width)  # (N * T,)
    new, old, ref = (x.reshape(count * width) for x in (new_logps, old_logps, ref_logps))
    ratio = torch.exp(new - old)
    clipped = torch.clamp(ratio, min=1.0 - clip_eps, max=1.0 + clip_eps)
    surrogate = torch.min(ratio * flat, clipped * flat)
    kl = torch.exp(ref - new) - (ref - new) - 1
    losses = (beta * kl - surrogate)[mask.reshape(-1) > 0.5]
    return losses.mean() if losses.numel() else losses.sum()
