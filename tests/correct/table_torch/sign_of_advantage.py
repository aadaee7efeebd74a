"""One bound per sign of the advantage: min(r, 1 + eps) A or max(r, 1 - eps) A."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    i, t = mask.nonzero(as_tuple=True)
    new, old, ref, a = new_logps[i, t], old_logps[i, t], ref_logps[i, t], advantages[i]
    ratio = torch.exp(new - old)
    bounded = torch.where(a >= 0, ratio.clamp(max=1 + clip_eps), ratio.clamp(min=1 - clip_eps))
    delta = ref - new
    return (beta * (delta.exp() - delta - 1) - bounded * a).sum() / max(i.numel(), 1)
