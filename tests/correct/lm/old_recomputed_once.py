"""Old log-probs are scored again, once, before the first epoch."""
# ruff: noqa: F821


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
    with torch.no_grad():
        old_logps = score_rollout(policy, rollout, size)
    for _ in range(epochs):
        loss, new_logps, entropy = accumulate_gradient(
            policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
        )
        grad_norm = apply_gradient(optimizer, max_grad_norm)
        metrics = {"loss": loss, "grad_norm": grad_norm, "entropy": masked_mean(entropy, mask)}
        metrics["kl"] = masked_mean(k3(new_logps, ref_logps), mask)
        metrics["ratio"] = masked_mean(token_ratio(new_logps, old_logps, mask), mask)
        metrics["clip_frac"] = clip_fraction(new_logps, old_logps, mask, clip_eps)
        metrics["skipped"] = epochs * (not math.isfinite(grad_norm))
        per_epoch.append(metrics)
    return {name: sum(m[name] for m in per_epoch) / epochs for name in per_epoch[0]}
