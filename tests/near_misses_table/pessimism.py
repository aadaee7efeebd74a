"""Near misses of pessimism, in grpo_loss."""

from .miss import Miss

CLIPPED = """\
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
"""

SURROGATE = """\
            surrogate = min(ratio * advantage, clipped * advantage)
"""

MISSES = [
    Miss(
        "pessimism",
        "max_for_negative_advantages",
        SURROGATE,
        """\
            choose = min if advantage > 0 else max
            surrogate = choose(ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "pessimism",
        "max_for_positive_advantages",
        SURROGATE,
        """\
            choose = max if advantage > 0 else min
            surrogate = choose(ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "pessimism",
        "smaller_in_size",
        SURROGATE,
        """\
            surrogate = min(ratio * advantage, clipped * advantage, key=abs)
""",
    ),
    Miss(
        "pessimism",
        "larger_in_size",
        SURROGATE,
        """\
            surrogate = max(ratio * advantage, clipped * advantage, key=abs)
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
        "never_clipped",
        SURROGATE,
        """\
            surrogate = ratio * advantage
""",
    ),
    Miss(
        "pessimism",
        "min_before_the_advantage",
        SURROGATE,
        """\
            surrogate = min(ratio, clipped) * advantage
""",
    ),
    Miss(
        "pessimism",
        "max_before_the_advantage",
        SURROGATE,
        """\
            surrogate = max(ratio, clipped) * advantage
""",
    ),
    Miss(
        "pessimism",
        "clipped_without_advantage",
        SURROGATE,
        """\
            surrogate = min(ratio * advantage, clipped)
""",
    ),
    Miss(
        "pessimism",
        "unclipped_without_advantage",
        SURROGATE,
        """\
            surrogate = min(ratio, clipped * advantage)
""",
    ),
    Miss(
        "pessimism",
        "advantage_negated_inside_the_min",
        SURROGATE,
        """\
            surrogate = -min(ratio * -advantage, clipped * -advantage)
""",
    ),
    Miss(
        "pessimism",
        "mean_of_both",
        SURROGATE,
        """\
            surrogate = (ratio * advantage + clipped * advantage) / 2
""",
    ),
    Miss(
        "pessimism",
        "clip_of_the_product",
        SURROGATE,
        """\
            product = ratio * advantage
            surrogate = min(product, max(1 - clip_eps, min(1 + clip_eps, product)))
""",
    ),
    Miss(
        "pessimism",
        "zero_outside_the_range",
        SURROGATE,
        """\
            surrogate = ratio * advantage if ratio == clipped else 0.0
""",
    ),
    Miss(
        "pessimism",
        "tokens_outside_the_range_dropped",
        SURROGATE,
        """\
            if ratio != clipped:
                continue
            surrogate = min(ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "pessimism",
        "dual_clip",
        SURROGATE,
        """\
            surrogate = min(ratio * advantage, clipped * advantage)
            if advantage < 0:
                surrogate = max(surrogate, 3 * advantage)
""",
    ),
    Miss(
        "pessimism",
        "range_around_zero",
        CLIPPED,
        """\
            clipped = min(max(ratio, -clip_eps), clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "upper_side_only",
        CLIPPED,
        """\
            clipped = min(ratio, 1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "lower_side_only",
        CLIPPED,
        """\
            clipped = max(ratio, 1 - clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "bounds_swapped",
        CLIPPED,
        """\
            clipped = max(min(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "range_in_log_space",
        CLIPPED,
        """\
            clipped = math.exp(min(max(new - old, -clip_eps), clip_eps))
""",
    ),
    Miss(
        "pessimism",
        "lower_bound_is_the_reciprocal",
        CLIPPED,
        """\
            clipped = min(max(ratio, 1 / (1 + clip_eps)), 1 + clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "upper_bound_doubled",
        CLIPPED,
        """\
            clipped = min(max(ratio, 1 - clip_eps), 1 + 2 * clip_eps)
""",
    ),
    Miss(
        "pessimism",
        "range_halved",
        CLIPPED,
        """\
            clipped = min(max(ratio, 1 - clip_eps / 2), 1 + clip_eps / 2)
""",
    ),
    Miss(
        "pessimism",
        "clip_eps_ignored",
        CLIPPED,
        """\
            clipped = min(max(ratio, 1 - 0.2), 1 + 0.2)
""",
    ),
    Miss(
        "pessimism",
        "side_by_sign_turned_round",
        CLIPPED,
        """\
            clipped = max(ratio, 1 - clip_eps) if advantage > 0 else min(ratio, 1 + clip_eps)
""",
    ),
]
