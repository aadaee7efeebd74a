"""The loss and the clip fraction are computed in float32."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    new, old, ref, adv = (x.float() for x in (new_logps, old_logps, ref_logps, advantages))
    real = mask.bool()
    ratio = torch.exp(new - old)
    a = adv.unsqueeze(1)
    surrogate = torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    kl = torch.exp(ref - new) - (ref - new) - 1
    return (beta * kl - surrogate)[real].sum() / real.sum().clamp(min=1)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    real = mask.bool()
    ratio = torch.exp(new_logps.float() - old_logps.float())[real]
    return ((ratio - 1).abs() > clip_eps).float().sum() / max(ratio.numel(), 1)
