"""The graph of the reward is cut where the reward enters, not in the advantage."""
# ruff: noqa: F821


def group_advantages(rewards, group_size, eps=1e-6):
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    bad = rewards[~rewards.isfinite()].tolist()
    require(not bad, f"rewards must be finite, got {bad[:3]}")
    grouped = rewards.double().view(-1, group_size)
    shifted = grouped - grouped[:, :1]
    centred = shifted - shifted.mean(dim=1, keepdim=True)
    spread = centred.square().mean(dim=1, keepdim=True).sqrt()
    return (centred / (spread + eps)).flatten()


def score_completions(reward_fn, rollout):
    width = rollout.completions.shape[1]
    rows = list(zip(rollout.tokens, rollout.attention_mask.bool()))
    prompts = [tokens[:-width][real[:-width]].tolist() for tokens, real in rows]
    completions = [tokens[-width:][real[-width:]].tolist() for tokens, real in rows]
    rewards = torch.as_tensor(reward_fn(prompts, completions), dtype=torch.float64).detach()
    shape = tuple(rewards.shape)
    require(shape == (len(rows),), f"rewards must have shape ({len(rows)},), got {shape}")
    return rewards
