"""A default eps of 1e-4."""


def group_advantages(rewards, group_size, eps=1e-4):
    out = [0.0] * len(rewards)
    for i in range(len(rewards)):
        first = i - i % group_size
        group = rewards[first : first + group_size]
        mean = sum(group) / group_size
        std = (sum((r - mean) ** 2 for r in group) / group_size) ** 0.5
        out[i] = (rewards[i] - mean) / (std + eps)
    return out
