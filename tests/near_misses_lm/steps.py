"""Near misses of frozen_old, zero_grad_in_loop, mean_of_means and clip_after_step."""

from near_misses_table import Miss

OLD = """\
    old_logps = rollout.old_logps
    for _ in range(epochs):
"""
STEP = "        grad_norm = apply_gradient(optimizer, max_grad_norm)\n"
APPENDED = "        per_epoch.append(metrics)\n"
LOG_RATIO = "    log_ratio = new - old.detach()\n"
LOSS = "        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, token_count)\n"
BACKWARD = "        loss.backward()\n"
ZERO_GRAD = """\
    optimizer.zero_grad()
    for tokens, attention_mask, mask, old, ref, adv in batches:
"""
RETURNED = "    return total, *map(torch.cat, zip(*seen))\n"
CLIP_LINE = "        nn.utils.clip_grad_norm_(weights, max_grad_norm)\n"
LINES_OF_BACKWARD_OF_THE_LAST_ONLY = """\
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
"""

MISSES = [
    Miss("frozen_old", "new_minus_detached_new", LOG_RATIO, "    log_ratio = new - new.detach()\n"),
    Miss(
        "frozen_old",
        "detached_new_in_the_loss",
        LOSS,
        """\
        loss = grpo_loss(new, new.detach(), ref, adv, mask, clip_eps, beta, token_count)
""",
    ),
    Miss(
        "frozen_old",
        "last_epoch_kept",
        APPENDED,
        """\
        per_epoch.append(metrics)
        old_logps = new_logps
""",
    ),
    Miss(
        "frozen_old",
        "scored_behind_the_step",
        STEP,
        """\
        grad_norm = apply_gradient(optimizer, max_grad_norm)
        old_logps = score_rollout(policy, rollout, size)
""",
    ),
    Miss(
        "frozen_old",
        "rollout_overwritten",
        OLD,
        """\
    for _ in range(epochs):
        rollout.old_logps = score_rollout(policy, rollout, size)
        old_logps = rollout.old_logps
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_from_the_second_epoch",
        OLD,
        """\
    old_logps = rollout.old_logps
    for epoch in range(epochs):
        if epoch:
            old_logps = score_rollout(policy, rollout, size)
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "policy_cleared_in_the_loop",
        ZERO_GRAD,
        """\
    for tokens, attention_mask, mask, old, ref, adv in batches:
        policy.zero_grad()
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "cleared_before_each_backward",
        BACKWARD,
        """\
        optimizer.zero_grad()
        loss.backward()
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "cleared_to_zeros_in_the_loop",
        BACKWARD,
        """\
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "cleared_behind_backward",
        RETURNED,
        """\
    optimizer.zero_grad(set_to_none=False)
    return total, *map(torch.cat, zip(*seen))
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "never_cleared",
        ZERO_GRAD,
        "    for tokens, attention_mask, mask, old, ref, adv in batches:\n",
    ),
    Miss(
        "zero_grad_in_loop",
        "backward_of_the_last_only",
        LINES_OF_BACKWARD_OF_THE_LAST_ONLY,
        """\
        total += loss.item()
        seen.append((new.detach(), entropy))
    loss.backward()
""",
    ),
    Miss(
        "zero_grad_in_loop",
        "overwritten_not_added",
        BACKWARD,
        """\
        weights = [w for w in policy.parameters() if w.requires_grad]
        for w, grad in zip(weights, torch.autograd.grad(loss, weights, allow_unused=True)):
            w.grad = grad
""",
    ),
    Miss(
        "mean_of_means",
        "divided_twice",
        LOSS,
        """\
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, token_count) / len(batches)
""",
    ),
    Miss(
        "mean_of_means",
        "sum_of_means",
        LOSS,
        "        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta)\n",
    ),
    Miss(
        "mean_of_means",
        "weighted_by_rows",
        LOSS,
        """\
        share = len(mask) / len(rollout.mask)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta) * share
""",
    ),
    Miss(
        "mean_of_means",
        "tokens_spread_evenly",
        LOSS,
        """\
        count = token_count / len(batches)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta, count)
""",
    ),
    Miss(
        "mean_of_means",
        "weighted_by_size",
        LOSS,
        """\
        share = size / len(rollout.mask)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta) * share
""",
    ),
    Miss(
        "mean_of_means",
        "last_batch_dropped",
        BACKWARD,
        """\
        if len(mask) == size:
            loss.backward()
""",
    ),
    Miss(
        "mean_of_means",
        "value_right_gradient_not",
        BACKWARD,
        "        (loss / len(batches)).backward()\n",
    ),
    Miss(
        "clip_after_step",
        "each_value_by_itself",
        CLIP_LINE,
        "        nn.utils.clip_grad_value_(weights, max_grad_norm)\n",
    ),
    Miss(
        "clip_after_step",
        "each_weight_by_itself",
        CLIP_LINE,
        """\
        for w in weights:
            nn.utils.clip_grad_norm_(w, max_grad_norm)
""",
    ),
    Miss(
        "clip_after_step",
        "first_weight_only",
        CLIP_LINE,
        "        nn.utils.clip_grad_norm_(weights[:1], max_grad_norm)\n",
    ),
    Miss(
        "clip_after_step",
        "largest_value_is_the_norm",
        CLIP_LINE,
        "        nn.utils.clip_grad_norm_(weights, max_grad_norm, norm_type=math.inf)\n",
    ),
    Miss(
        "clip_after_step",
        "copies_clipped",
        CLIP_LINE,
        """\
        copies = [w.detach().clone() for w in weights]
        for twin, w in zip(copies, weights):
            twin.grad = None if w.grad is None else w.grad.clone()
        nn.utils.clip_grad_norm_(copies, max_grad_norm)
""",
    ),
    Miss(
        "clip_after_step",
        "weights_clipped",
        CLIP_LINE,
        """\
        with torch.no_grad():
            for w in weights:
                w.clamp_(-max_grad_norm, max_grad_norm)
""",
    ),
    Miss(
        "clip_after_step",
        "only_small_gradients",
        CLIP_LINE,
        """\
        if grad_norm < max_grad_norm:
            nn.utils.clip_grad_norm_(weights, max_grad_norm)
""",
    ),
    Miss(
        "clip_after_step",
        "answer_of_clamp_dropped",
        CLIP_LINE,
        "        torch.tensor(grad_norm).clamp(max=max_grad_norm)\n",
    ),
    Miss("clip_after_step", "left_out", CLIP_LINE, ""),
    Miss(
        "clip_after_step",
        "not_passed_on",
        STEP,
        "        grad_norm = apply_gradient(optimizer, math.inf)\n",
    ),
]
