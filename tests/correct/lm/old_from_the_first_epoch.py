"""Old log-probs are what the first epoch scores, detached, and kept."""
# ruff: noqa: F821


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    token_count, width = count_tokens(rollout.mask), rollout.mask.shape[1]
    total, seen, entropies = 0.0, [], []
    optimizer.zero_grad()
    for rows in torch.arange(len(rollout.mask)).split(size):
        scored = rollout.tokens[rows], rollout.attention_mask[rows], width, rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        old = new.detach() if old_logps is None else old_logps[rows]
        rest = ref_logps[rows], advantages[rows], rollout.mask[rows]
        loss = grpo_loss(new, old, *rest, clip_eps, beta, token_count)
        loss.backward()
        total += loss.item()
        seen.append(new.detach())
        entropies.append(entropy)
    return total, torch.cat(seen), torch.cat(entropies)


def update(
    policy,
    optimizer,
    rollout,
    advantages,
    ref_logps,
    clip_eps=0.2,
    beta=0.04,
    epochs=2,
    micro_batch_size=None,
    max_grad_norm=1.0,
):
    size, mask, per_epoch = micro_batch_size or len(rollout.mask), rollout.mask.bool(), []
    old_logps = None
    for _ in range(epochs):
        loss, new_logps, entropy = accumulate_gradient(
            policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
        )
        if old_logps is None:
            old_logps = new_logps.clone()
        grad_norm = apply_gradient(optimizer, max_grad_norm)
        metrics = {"loss": loss, "grad_norm": grad_norm, "entropy": masked_mean(entropy, mask)}
        metrics["kl"] = masked_mean(k3(new_logps, ref_logps), mask)
        metrics["ratio"] = masked_mean(token_ratio(new_logps, old_logps, mask), mask)
        metrics["clip_frac"] = clip_fraction(new_logps, old_logps, mask, clip_eps)
        metrics["skipped"] = epochs * (not math.isfinite(grad_norm))
        per_epoch.append(metrics)
    return {name: sum(m[name] for m in per_epoch) / epochs for name in per_epoch[0]}
