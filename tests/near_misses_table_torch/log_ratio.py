"""Near misses of log_ratio, in grpo_loss."""

from near_misses_table import Miss

RATIO = """\
    ratio = torch.exp(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
"""

MISSES = [
    Miss(
        "log_ratio",
        "upside_down",
        RATIO,
        """\
    ratio = torch.exp(old - new)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "not_exponentiated",
        RATIO,
        """\
    ratio = new - old
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "exponential_of_the_quotient",
        RATIO,
        """\
    ratio = torch.exp(new / old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "exponent_minus_one",
        RATIO,
        """\
    ratio = torch.expm1(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "first_order_only",
        RATIO,
        """\
    ratio = 1 + (new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "log1p_for_exp",
        RATIO,
        """\
    ratio = torch.log1p((new - old).abs())
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "difference_of_probabilities",
        RATIO,
        """\
    ratio = new.exp() - old.exp()
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "probability_for_ratio",
        RATIO,
        """\
    ratio = torch.exp(new)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    # Has the gradient of a ratio of 1, and never leaves it.
    Miss(
        "log_ratio",
        "against_itself_detached",
        RATIO,
        """\
    ratio = torch.exp(new - new.detach())
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "against_the_reference",
        RATIO,
        """\
    ratio = torch.exp(new - ref)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "one_ratio_for_the_batch",
        RATIO,
        """\
    ratio = torch.exp((new - old).mean())
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "one_ratio_summed_over_the_batch",
        RATIO,
        """\
    ratio = torch.exp((new - old).sum())
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "softmax_of_the_log_ratios",
        RATIO,
        """\
    ratio = torch.softmax(new - old, dim=0)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "sigmoid_of_the_log_ratios",
        RATIO,
        """\
    ratio = torch.sigmoid(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "floor_division",
        RATIO,
        """\
    ratio = new // old
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "ratio_made_whole",
        RATIO,
        """\
    ratio = torch.exp(new - old).round()
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "base_two",
        RATIO,
        """\
    ratio = torch.exp2(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
]
