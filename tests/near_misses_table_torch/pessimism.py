"""Near misses of pessimism, in grpo_loss."""

from near_misses_table import Miss

CLIPPED = """\
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
"""

SURROGATE = """\
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
"""

MISSES = [
    Miss(
        "pessimism",
        "maximum_for_negative_advantages",
        SURROGATE,
        """\
    surrogate = torch.where(
        advantage < 0,
        torch.maximum(ratio * advantage, clipped * advantage),
        torch.minimum(ratio * advantage, clipped * advantage),
    )
""",
    ),
    Miss(
        "pessimism",
        "maximum_for_positive_advantages",
        SURROGATE,
        """\
    surrogate = torch.where(
        advantage > 0,
        torch.maximum(ratio * advantage, clipped * advantage),
        torch.minimum(ratio * advantage, clipped * advantage),
    )
""",
    ),
    # min without a dim is one number for all tokens.
    Miss(
        "pessimism",
        "min_of_everything",
        SURROGATE,
        """\
    surrogate = torch.stack((ratio * advantage, clipped * advantage)).min()
""",
    ),
    Miss(
        "pessimism",
        "stacked_mean",
        SURROGATE,
        """\
    surrogate = torch.stack((ratio * advantage, clipped * advantage)).mean(dim=0)
""",
    ),
    Miss(
        "pessimism",
        "fmax_for_fmin",
        SURROGATE,
        """\
    surrogate = torch.fmax(ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "pessimism",
        "min_before_the_advantage",
        SURROGATE,
        """\
    surrogate = torch.minimum(ratio, clipped) * advantage
""",
    ),
    Miss(
        "pessimism",
        "clamp_of_the_product",
        SURROGATE,
        """\
    surrogate = (ratio * advantage).clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "never_clipped",
        SURROGATE,
        """\
    surrogate = ratio * advantage
""",
    ),
    Miss(
        "pessimism",
        "always_clipped",
        SURROGATE,
        """\
    surrogate = clipped * advantage
""",
    ),
    Miss(
        "pessimism",
        "smaller_in_size",
        SURROGATE,
        """\
    surrogate = torch.where(
        (ratio * advantage).abs() < (clipped * advantage).abs(),
        ratio * advantage,
        clipped * advantage,
    )
""",
    ),
    # The ratio is clipped along: both are one tensor.
    Miss(
        "pessimism",
        "clamped_in_place",
        CLIPPED,
        """\
    clipped = ratio.clamp_(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "clamped_from_above_only",
        CLIPPED,
        """\
    clipped = ratio.clamp(max=1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "clamped_from_below_only",
        CLIPPED,
        """\
    clipped = ratio.clamp(min=1 - clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "clamped_around_zero",
        CLIPPED,
        """\
    clipped = ratio.clamp(-clip_eps, clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "bounds_swapped",
        CLIPPED,
        """\
    clipped = ratio.clamp(1 + clip_eps, 1 - clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "log_ratio_clamped",
        CLIPPED,
        """\
    clipped = (new - old).clamp(-clip_eps, clip_eps).exp()
""",
    ),
    Miss(
        "pessimism",
        "clip_eps_ignored",
        CLIPPED,
        """\
    clipped = ratio.clamp(0.8, 1.2)
""",
    ),
    Miss(
        "pessimism",
        "clamped_from_above_at_one",
        CLIPPED,
        """\
    clipped = ratio.clamp(1 - clip_eps, 1)
""",
    ),
]
