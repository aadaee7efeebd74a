"""The mean of each row's tokens, weighted by its share of the real tokens."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    lengths = mask.sum(dim=1)  # (N,)
    ratio = torch.exp(new_logps - old_logps)
    a = advantages[..., None]
    surrogate = torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    per_row = ((beta * kl - surrogate) * mask).sum(dim=1) / lengths.clamp(min=1)
    return torch.dot(per_row, (lengths / lengths.sum().clamp(min=1)).to(per_row.dtype))
