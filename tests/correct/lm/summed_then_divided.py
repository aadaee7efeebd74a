"""Micro-batches add up sums; the gradient is divided once, at the end."""
# ruff: noqa: F821


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    token_count = count_tokens(rollout.mask)
    columns = rollout.tokens, rollout.attention_mask, rollout.mask, old_logps, ref_logps, advantages
    batches = list(zip(*(column.split(size) for column in columns)))
    total, seen = 0.0, []
    optimizer.zero_grad()
    for tokens, attention_mask, mask, old, ref, adv in batches:
        scored = tokens, attention_mask, mask.shape[1], rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, 1)
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
    for group in optimizer.param_groups:
        for weight in group["params"]:
            if weight.grad is not None:
                weight.grad /= token_count
    return total / token_count, *map(torch.cat, zip(*seen))
