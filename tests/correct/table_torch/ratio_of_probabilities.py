"""exp(new) / exp(old), weights that sum to 1, and a dot product with them."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    weight = mask.double() / mask.sum().clamp(min=1)
    pi, pi_old, pi_ref = new_logps.exp(), old_logps.exp(), ref_logps.exp()
    ratio = pi / pi_old
    low, high = torch.full_like(ratio, 1 - clip_eps), torch.full_like(ratio, 1 + clip_eps)
    clipped = torch.maximum(low, torch.minimum(ratio, high))
    a = advantages.unsqueeze(1).expand_as(ratio)
    kl = pi_ref / pi - (ref_logps - new_logps) - 1
    loss = beta * kl - torch.fmin(ratio * a, clipped * a)
    return torch.tensordot(loss, weight.to(loss.dtype), dims=2)
