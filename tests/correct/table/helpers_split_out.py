"""Every formula has a helper of its own."""

import math


def split(values, size):
    return [values[start : start + size] for start in range(0, len(values), size)]


def mean_of(values):
    return sum(values) / len(values)


def std_of(values):
    centre = mean_of(values)
    return math.sqrt(mean_of([(value - centre) ** 2 for value in values]))


def normalise(values, eps):
    centre, spread = mean_of(values), std_of(values)
    return [(value - centre) / (spread + eps) for value in values]


def group_advantages(rewards, group_size, eps=1e-6):
    return [a for group in split(rewards, group_size) for a in normalise(group, eps)]


def importance(new, old):
    return math.exp(new - old)


def clip(x, low, high):
    return max(low, min(high, x))


def surrogate_of(ratio, advantage, clip_eps):
    return min(ratio * advantage, clip(ratio, 1 - clip_eps, 1 + clip_eps) * advantage)


def k3(new, ref):
    return math.exp(ref - new) - (ref - new) - 1


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    def token_loss(i, t):
        ratio = importance(new_logps[i][t], old_logps[i][t])
        penalty = beta * k3(new_logps[i][t], ref_logps[i][t])
        return penalty - surrogate_of(ratio, advantages[i], clip_eps)

    real = [(i, t) for i, row in enumerate(mask) for t, m in enumerate(row) if m]
    return mean_of([token_loss(i, t) for i, t in real]) if real else 0.0
