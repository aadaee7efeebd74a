"""Gradients are asked for by torch.autograd.grad and added up by hand."""
# ruff: noqa: F821


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    token_count = count_tokens(rollout.mask)
    columns = rollout.tokens, rollout.attention_mask, rollout.mask, old_logps, ref_logps, advantages
    batches = list(zip(*(column.split(size) for column in columns)))
    total, seen = 0.0, []
    weights = [w for group in optimizer.param_groups for w in group["params"]]
    sums = [torch.zeros_like(w) for w in weights]
    for tokens, attention_mask, mask, old, ref, adv in batches:
        scored = tokens, attention_mask, mask.shape[1], rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, token_count)
        for part, grad in zip(sums, torch.autograd.grad(loss, weights, allow_unused=True)):
            if grad is not None:
                part.add_(grad)
        total += loss.item()
        seen.append((new.detach(), entropy))
    for weight, grad in zip(weights, sums):
        weight.grad = grad
    return total, *map(torch.cat, zip(*seen))
