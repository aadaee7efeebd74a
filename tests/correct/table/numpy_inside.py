"""numpy inside the functions, plain lists and floats at the door."""

import numpy as np


def group_advantages(rewards, group_size, eps=1e-6):
    groups = np.asarray(rewards, dtype=float).reshape(-1, group_size)  # (B, G)
    centred = groups - groups.mean(axis=1, keepdims=True)
    return (centred / (groups.std(axis=1, keepdims=True) + eps)).ravel().tolist()


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    new, old, ref = (np.asarray(x, dtype=float) for x in (new_logps, old_logps, ref_logps))
    real = np.asarray(mask, dtype=bool)
    if not real.any():
        return 0.0
    adv = np.asarray(advantages, dtype=float)[:, None]
    ratio = np.exp(np.where(real, new - old, 0.0))
    surrogate = np.minimum(ratio * adv, np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * adv)
    delta = np.where(real, ref - new, 0.0)
    kl = np.expm1(delta) - delta
    return float((beta * kl - surrogate)[real].mean())


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    real = np.asarray(mask, dtype=bool)
    if not real.any():
        return 0.0
    log_ratio = np.asarray(new_logps)[real] - np.asarray(old_logps)[real]
    return float((np.abs(np.exp(log_ratio) - 1) > clip_eps).mean())
