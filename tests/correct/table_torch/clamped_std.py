"""The divisor is std.clamp(min=eps)."""


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().reshape(-1, group_size)
    centred = groups - groups.mean(dim=-1, keepdim=True)
    std = centred.pow(2).mean(dim=-1, keepdim=True).sqrt()
    return (centred / std.clamp(min=eps)).reshape(rewards.shape)
