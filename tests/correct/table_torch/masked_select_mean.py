"""masked_select, then the mean of what is left."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = mask > 0
    if not real.any():
        return (new_logps * 0).sum()
    new, old, ref = (x.masked_select(real) for x in (new_logps, old_logps, ref_logps))
    a = advantages[:, None].broadcast_to(real.shape).masked_select(real)
    ratio = (new - old).exp()
    objective = torch.min(ratio * a, ratio.clip(1 - clip_eps, 1 + clip_eps) * a)
    kl = (ref - new).exp() - (ref - new) - 1
    return -(objective - beta * kl).mean()


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    real = mask > 0
    if not real.any():
        return torch.zeros(())
    log_ratio = (new_logps - old_logps).masked_select(real)
    return torch.gt((log_ratio.exp() - 1).abs(), clip_eps).double().mean()
