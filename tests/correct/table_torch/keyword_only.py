"""Parameters after a star, intermediate results in a dataclass, operators as methods."""

from dataclasses import dataclass

import torch


@dataclass
class Terms:
    surrogate: torch.Tensor
    kl: torch.Tensor

    def loss(self, beta):
        return self.kl.mul(beta).sub(self.surrogate)


def terms(new, old, ref, advantage, *, clip_eps):
    ratio = new.sub(old).exp()
    low = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    delta = ref.sub(new)
    return Terms(ratio.mul(advantage).minimum(low.mul(advantage)), delta.expm1().sub(delta))


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, *, clip_eps=0.2, beta=0.04):
    real = mask.bool()
    each = terms(new_logps, old_logps, ref_logps, advantages.unsqueeze(1), clip_eps=clip_eps)
    return each.loss(beta).where(real, torch.zeros(())).sum().div(real.sum().clamp(min=1))
