"""Changes to what was never wrong in the loss, the update and the training loop."""

from near_misses_table import Miss

OPTIMIZER = "    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)\n"
PROMPTS = "        prompts = pad_left(prompt_fn(prompts_per_step, rng))\n"
EPOCHS = "    for _ in range(epochs):\n"
FINITE = "    if math.isfinite(grad_norm):\n"
BACKWARD = "        loss.backward()\n"
KL_LOSS = "    kl_loss = beta * kl.sum() / token_count\n"
COUNT = "    return max(int(mask.sum()), 1)\n"
GIVEN_COUNT = "    token_count = count_tokens(mask) if token_count is None else token_count\n"
DELTA_CLAMPED = "    delta = delta.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)\n"
RATIO_CLAMPED = "    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)\n"
K3 = "    return delta.expm1() - delta\n"
CLIPPED = "    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps) * per_token\n"
STANDARDISED = "    return (centred / (spread + eps)).flatten()\n"

MISSES = [
    Miss(
        "decoy",
        "optimizer_rebuilt_every_step",
        PROMPTS,
        """\
        prompts = pad_left(prompt_fn(prompts_per_step, rng))
        optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)
""",
    ),
    Miss(
        "decoy",
        "optimizer_of_the_reference",
        OPTIMIZER,
        "    optimizer = torch.optim.AdamW(reference.parameters(), lr=lr)\n",
    ),
    Miss(
        "decoy",
        "learning_rate_not_passed",
        OPTIMIZER,
        "    optimizer = torch.optim.AdamW(policy.parameters())\n",
    ),
    Miss("frozen_old", "one_epoch", EPOCHS, "    for _ in range(1):\n"),
    Miss("decoy", "step_whatever_the_gradient", FINITE, "    if grad_norm is not None:\n"),
    Miss("clip_after_step", "step_skipped_if_large", FINITE, "    if grad_norm < max_grad_norm:\n"),
    Miss(
        "decoy",
        "step_after_every_micro_batch",
        BACKWARD,
        """\
        loss.backward()
        optimizer.step()
""",
    ),
    Miss("loss_sign", "negated_before_backward", BACKWARD, "        (-loss).backward()\n"),
    Miss("kl_sign", "without_beta", KL_LOSS, "    kl_loss = kl.sum() / token_count\n"),
    Miss("kl_sign", "beta_squared", KL_LOSS, "    kl_loss = beta**2 * kl.sum() / token_count\n"),
    Miss("padded_mean", "kl_summed", KL_LOSS, "    kl_loss = beta * kl.sum()\n"),
    Miss("decoy", "empty_batch_divides_by_zero", COUNT, "    return int(mask.sum())\n"),
    Miss(
        "mean_of_means",
        "given_count_ignored",
        GIVEN_COUNT,
        "    token_count = count_tokens(mask)\n",
    ),
    Miss("decoy", "kl_unbounded", DELTA_CLAMPED, ""),
    Miss("kl_direction", "bounded_to_one", DELTA_CLAMPED, "    delta = delta.clamp(-1.0, 1.0)\n"),
    Miss(
        "decoy",
        "ratio_bounded_from_one",
        RATIO_CLAMPED,
        "    log_ratio = log_ratio.clamp(0.0, MAX_LOG_RATIO)\n",
    ),
    Miss("kl_direction", "k1_as_loss", K3, "    return -delta\n"),
    Miss(
        "pessimism",
        "range_of_half_the_width",
        CLIPPED,
        "    clipped = ratio.clamp(1 - clip_eps / 2, 1 + clip_eps / 2) * per_token\n",
    ),
    Miss(
        "old_gradient",
        "clipped_branch_detached",
        CLIPPED,
        "    clipped = ratio.detach().clamp(1 - clip_eps, 1 + clip_eps) * per_token\n",
    ),
    Miss("zero_std", "not_divided_by_the_spread", STANDARDISED, "    return centred.flatten()\n"),
    Miss(
        "zero_std",
        "divided_by_the_variance",
        STANDARDISED,
        "    return (centred / (spread.square() + eps)).flatten()\n",
    ),
    Miss(
        "zero_std", "eps_of_one", STANDARDISED, "    return (centred / (spread + 1.0)).flatten()\n"
    ),
]
