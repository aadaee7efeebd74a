"""The loss as PPO's code has it: the maximum of two negated terms (Spinning Up, cleanrl)."""

import torch


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    keep = mask.to(torch.bool)
    logratio = (new_logps - old_logps)[keep]
    ratio = logratio.exp()
    adv = advantages.reshape(-1, 1).repeat(1, mask.shape[1])[keep]
    pg_loss1 = -adv * ratio
    pg_loss2 = -adv * torch.clamp(ratio, 1 - clip_eps, 1 + clip_eps)
    pg_loss = torch.max(pg_loss1, pg_loss2)
    log_r = (ref_logps - new_logps)[keep]
    kl_loss = log_r.exp() - 1 - log_r
    return (pg_loss + beta * kl_loss).sum() / max(int(keep.sum()), 1)
