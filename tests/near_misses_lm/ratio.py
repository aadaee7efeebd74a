"""Near misses of old_gradient, sequence_ratio, exp_overflow and zero_times_inf."""

from near_misses_table import Miss

LOG_RATIO = "    log_ratio = new - old.detach()\n"
MASKED = "    log_ratio = log_ratio.where(mask, 0.0)\n"
CLAMPED = "    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)\n"
EXP = "    return log_ratio.exp()\n"
KL = "    kl = k3(new.where(mask, 0.0), ref.where(mask, 0.0))\n"
LINES_OF_MULTIPLIED_BEHIND_EXP = """\
    log_ratio = log_ratio.where(mask, 0.0)
    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return log_ratio.exp()
"""
LINES_OF_BOUNDED_BEHIND_EXP = """\
    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return log_ratio.exp()
"""
LINES_OF_CLAMPED_THEN_MULTIPLIED = """\
    log_ratio = log_ratio.where(mask, 0.0)
    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
"""
LINES_OF_EACH_BOUNDED_BY_ITSELF = """\
    log_ratio = new - old.detach()
    # Padding may hold anything, NaN and inf included.
    log_ratio = log_ratio.where(mask, 0.0)
    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
"""

MISSES = [
    Miss("old_gradient", "cloned", LOG_RATIO, "    log_ratio = new - old.clone()\n"),
    Miss("old_gradient", "new_detached_instead", LOG_RATIO, "    log_ratio = new.detach() - old\n"),
    Miss(
        "old_gradient", "difference_detached", LOG_RATIO, "    log_ratio = (new - old).detach()\n"
    ),
    Miss(
        "old_gradient",
        "answer_of_detach_dropped",
        LOG_RATIO,
        """\
    old.detach()
    log_ratio = new - old
""",
    ),
    Miss(
        "old_gradient",
        "detached_on_padding_only",
        LOG_RATIO,
        "    log_ratio = new - old.where(mask, old.detach())\n",
    ),
    Miss(
        "sequence_ratio",
        "mean_over_the_row",
        EXP,
        "    return log_ratio.mean(dim=1, keepdim=True).exp().expand_as(mask)\n",
    ),
    Miss(
        "sequence_ratio",
        "mean_over_real_tokens",
        EXP,
        """\
    lengths = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (log_ratio.sum(dim=1, keepdim=True) / lengths).exp().expand_as(mask)
""",
    ),
    Miss("sequence_ratio", "running_sum", EXP, "    return log_ratio.cumsum(dim=1).exp()\n"),
    Miss(
        "sequence_ratio",
        "product_of_ratios",
        EXP,
        "    return log_ratio.exp().prod(dim=1, keepdim=True).expand_as(mask)\n",
    ),
    Miss(
        "sequence_ratio",
        "sum_over_rows",
        EXP,
        "    return log_ratio.sum(dim=0, keepdim=True).exp().expand_as(mask)\n",
    ),
    Miss(
        "sequence_ratio",
        "largest_of_the_row",
        EXP,
        "    return log_ratio.amax(dim=1, keepdim=True).exp().expand_as(mask)\n",
    ),
    Miss(
        "sequence_ratio",
        "mean_of_ratios",
        EXP,
        "    return log_ratio.exp().mean(dim=1, keepdim=True).expand_as(mask)\n",
    ),
    Miss(
        "exp_overflow",
        "bound_too_wide",
        CLAMPED,
        "    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, 10 * MAX_LOG_RATIO)\n",
    ),
    Miss(
        "exp_overflow",
        "bounded_behind_exp",
        LINES_OF_BOUNDED_BEHIND_EXP,
        "    return log_ratio.exp().clamp(max=math.exp(MAX_LOG_RATIO))\n",
    ),
    Miss(
        "exp_overflow",
        "infinities_replaced",
        LINES_OF_BOUNDED_BEHIND_EXP,
        "    return log_ratio.exp().nan_to_num(posinf=math.exp(MAX_LOG_RATIO))\n",
    ),
    Miss(
        "exp_overflow",
        "smaller_of_two_behind_exp",
        LINES_OF_BOUNDED_BEHIND_EXP,
        """\
    bound = torch.full_like(log_ratio, math.exp(MAX_LOG_RATIO))
    return torch.minimum(log_ratio.exp(), bound)
""",
    ),
    Miss(
        "exp_overflow",
        "where_behind_exp",
        LINES_OF_BOUNDED_BEHIND_EXP,
        """\
    large = log_ratio > MAX_LOG_RATIO
    return torch.where(large, math.exp(MAX_LOG_RATIO), log_ratio.exp())
""",
    ),
    Miss(
        "exp_overflow",
        "each_bounded_by_itself",
        LINES_OF_EACH_BOUNDED_BY_ITSELF,
        """\
    bound = 10 * MAX_LOG_RATIO
    log_ratio = new.clamp(-bound, bound) - old.detach().clamp(-bound, bound)
    # Padding may hold anything, NaN and inf included.
    log_ratio = log_ratio.where(mask, 0.0)
""",
    ),
    Miss(
        "exp_overflow",
        "answer_of_clamp_dropped",
        CLAMPED,
        "    log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)\n",
    ),
    Miss(
        "exp_overflow",
        "bounds_swapped",
        CLAMPED,
        "    log_ratio = log_ratio.clamp(MAX_LOG_RATIO, -MAX_LOG_RATIO)\n",
    ),
    Miss(
        "zero_times_inf",
        "clamped_then_multiplied",
        LINES_OF_CLAMPED_THEN_MULTIPLIED,
        "    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO) * mask\n",
    ),
    Miss(
        "zero_times_inf",
        "multiplied_behind_exp",
        LINES_OF_MULTIPLIED_BEHIND_EXP,
        """\
    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return log_ratio.exp() * mask
""",
    ),
    Miss(
        "zero_times_inf", "mask_inverted", MASKED, "    log_ratio = log_ratio.where(~mask, 0.0)\n"
    ),
    Miss("zero_times_inf", "left_to_the_surrogate", MASKED, ""),
    Miss(
        "zero_times_inf",
        "infinities_replaced_by_nothing",
        MASKED,
        "    log_ratio = log_ratio.where(log_ratio.isfinite(), math.nan) * mask\n",
    ),
    Miss(
        "zero_times_inf",
        "added_minus_infinity",
        MASKED,
        "    log_ratio = log_ratio + (mask.to(new.dtype) - 1) * 1e9\n",
    ),
    Miss("kl_over_padding", "multiplied_behind", KL, "    kl = k3(new, ref) * mask\n"),
]
