"""GRPO on a table of logits in numpy: values and gradients from the formulas, for comparison.

Written from docs/glossary.md and PPO (arXiv 1707.06347) eq. 7, not from either trainer. Everything
is float64 and vectorised; arrays are (N, T) unless said otherwise. The old policy, the reference
and the advantages are constants.
"""

import numpy as np


def softmax(theta):
    """pi(v | prompt), (prompts, V)."""
    weights = np.exp(theta - theta.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def token_logps(theta, rows, tokens):
    """log pi(token | row): the chosen logit minus log sum exp of its row."""
    top = theta.max(axis=-1)
    normaliser = top + np.log(np.exp(theta - top[:, None]).sum(axis=-1))  # (prompts,)
    return theta[rows[:, None], tokens] - normaliser[rows][:, None]


def advantages(rewards, group_size, eps=1e-6):
    """(reward - group mean) / (group std + eps), population std; rewards (N,), returns (N,)."""
    group = np.arange(len(rewards)) // group_size
    mean = np.bincount(group, weights=rewards) / group_size
    centred = rewards - mean[group]
    std = np.sqrt(np.bincount(group, weights=centred**2) / group_size)
    return centred / (std[group] + eps)


def clip_fraction(new, old, mask, clip_eps=0.2):
    """Share of real tokens with abs(ratio - 1) > clip_eps; 0 without real tokens."""
    outside = np.abs(np.exp(new - old) - 1) > clip_eps
    return np.sum(outside & (mask != 0)) / max(np.sum(mask != 0), 1)


def loss(new, old, ref, adv, mask, clip_eps=0.2, beta=0.04):
    """Token mean of beta (exp(d) - d - 1) - min(r A, clip(r) A), d = ref - new."""
    ratio, a, delta = np.exp(new - old), adv[:, None], ref - new
    surrogate = np.minimum(ratio * a, np.clip(ratio, 1 - clip_eps, 1 + clip_eps) * a)
    per_token = beta * (np.exp(delta) - delta - 1) - surrogate
    return np.sum(per_token * (mask != 0)) / max(np.sum(mask != 0), 1)


def loss_slope(new, old, ref, adv, mask, clip_eps=0.2, beta=0.04):
    """d loss / d new.

    The minimum is r A, with slope r A, but where the clip binds: for A > 0 above the range and for
    A < 0 below it, it is a constant. The k3 term has the slope 1 - exp(d).
    """
    ratio, a, delta = np.exp(new - old), adv[:, None], ref - new
    binds = np.where(a > 0, ratio > 1 + clip_eps, ratio < 1 - clip_eps)
    slope = beta * (1 - np.exp(delta)) - np.where(binds, 0, ratio * a)
    return slope * (mask != 0) / max(np.sum(mask != 0), 1)


def loss_gradient(theta, rows, tokens, old, ref, adv, mask, clip_eps=0.2, beta=0.04):
    """d loss / d theta, (prompts, V), by the Jacobian of the log of the softmax.

    d log pi(k | p) / d theta[p, v] = (v is k) - pi(v | p); rows of another prompt add nothing.
    """
    slope = loss_slope(token_logps(theta, rows, tokens), old, ref, adv, mask, clip_eps, beta)
    is_token = tokens[:, :, None] == np.arange(theta.shape[1])  # (N, T, V)
    by_logit = is_token - softmax(theta)[rows][:, None, :]  # (N, T, V)
    is_row = rows == np.arange(len(theta))[:, None]  # (prompts, N)
    return is_row @ np.einsum("nt,ntv->nv", slope, by_logit)
