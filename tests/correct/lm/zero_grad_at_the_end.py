"""Gradients are cleared behind every step, so that each starts from none."""
# ruff: noqa: F821


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    token_count = count_tokens(rollout.mask)
    columns = rollout.tokens, rollout.attention_mask, rollout.mask, old_logps, ref_logps, advantages
    batches = list(zip(*(column.split(size) for column in columns)))
    total, seen = 0.0, []
    for tokens, attention_mask, mask, old, ref, adv in batches:
        scored = tokens, attention_mask, mask.shape[1], rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, token_count)
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
    return total, *map(torch.cat, zip(*seen))


def apply_gradient(optimizer, max_grad_norm):
    weights = [w for group in optimizer.param_groups for w in group["params"]]
    grad_norm = torch.stack([w.grad.norm() for w in weights if w.grad is not None]).norm().item()
    if math.isfinite(grad_norm):
        nn.utils.clip_grad_norm_(weights, max_grad_norm)
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return grad_norm
