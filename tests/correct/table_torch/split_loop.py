"""A loop over split, one group at a time; rows of the loss by unbind."""

import torch


def group_advantages(rewards, group_size, eps=1e-6):
    out = []
    for group in rewards.double().split(group_size):
        out.append((group - group.mean()) / (group.std(unbiased=False) + eps))
    return torch.cat(out)


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    rows = []
    for new, old, ref, a, real in zip(new_logps, old_logps, ref_logps, advantages, mask):
        length = int(real.sum())
        new, old, ref = new[:length], old[:length], ref[:length]
        ratio = torch.exp(new - old)
        surrogate = torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
        rows.append(beta * (torch.exp(ref - new) - (ref - new) - 1) - surrogate)
    loss = torch.cat(rows)
    return loss.sum() / max(loss.numel(), 1)
