"""numpy arrays and numpy scalars come back where lists and floats were."""

import numpy as np


def log_softmax(logits):
    shifted = np.asarray(logits, dtype=float) - np.max(logits)
    return shifted - np.log(np.exp(shifted).sum())


def token_logps(theta, rows, tokens):
    table = np.array([log_softmax(logits) for logits in theta])
    return table[np.asarray(rows)[:, None], np.asarray(tokens)]


def group_advantages(rewards, group_size, eps=1e-6):
    groups = np.reshape(np.asarray(rewards, dtype=float), (-1, group_size))
    return ((groups.T - groups.mean(1)) / (groups.std(1) + eps)).T.flatten()


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    real = np.asarray(mask) > 0
    if not real.any():
        return np.float64(0.0)
    new, old, ref = np.array(new_logps)[real], np.array(old_logps)[real], np.array(ref_logps)[real]
    adv = np.repeat(np.asarray(advantages, dtype=float), real.sum(axis=1))
    ratio = np.exp(new - old)
    policy = np.minimum(ratio * adv, ratio.clip(1 - clip_eps, 1 + clip_eps) * adv)
    kl = np.exp(ref - new) - (ref - new) - 1
    return np.mean(beta * kl - policy)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    real = np.asarray(mask) > 0
    ratio = np.exp(np.asarray(new_logps)[real] - np.asarray(old_logps)[real])
    return np.mean(np.abs(ratio - 1) > clip_eps) if real.any() else np.float64(0.0)
