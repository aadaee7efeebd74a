"""Advantages travel through the update as (N, 1), and broadcast from there."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    column = advantages.reshape(-1, 1)  # (N, 1), whether (N,) or (N, 1) came in
    return torch.minimum(ratio * column, ratio.clamp(1 - clip_eps, 1 + clip_eps) * column)


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    advantages = advantages.unsqueeze(1)
    token_count = count_tokens(rollout.mask)
    total, seen = 0.0, []
    optimizer.zero_grad()
    for start in range(0, len(rollout.mask), size):
        part = slice(start, start + size)
        tokens, attention_mask = rollout.tokens[part], rollout.attention_mask[part]
        width = rollout.mask.shape[1]
        new, entropy = token_logps(
            policy, tokens, attention_mask, width, rollout.temperature, entropy=True
        )
        rest = old_logps[part], ref_logps[part], advantages[part], rollout.mask[part]
        loss = grpo_loss(new, *rest, clip_eps, beta, token_count)
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
    return total, *map(torch.cat, zip(*seen))
