"""Each micro-batch's own mean is weighted by its share of the tokens."""
# ruff: noqa: F821


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    token_count = count_tokens(rollout.mask)
    columns = rollout.tokens, rollout.attention_mask, rollout.mask, old_logps, ref_logps, advantages
    batches = list(zip(*(column.split(size) for column in columns)))
    total, seen = 0.0, []
    optimizer.zero_grad(set_to_none=False)
    for tokens, attention_mask, mask, old, ref, adv in batches:
        scored = tokens, attention_mask, mask.shape[1], rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        share = mask.sum().item() / token_count
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta) * share
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
    return total, *map(torch.cat, zip(*seen))
