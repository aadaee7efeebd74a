"""Near misses of log_ratio, in grpo_loss."""

from .miss import Miss

RATIO = """\
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
"""

MISSES = [
    Miss(
        "log_ratio",
        "upside_down",
        RATIO,
        """\
            ratio = math.exp(old - new)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "difference_of_probabilities",
        RATIO,
        """\
            ratio = math.exp(new) - math.exp(old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "not_exponentiated",
        RATIO,
        """\
            ratio = new - old
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "first_order_only",
        RATIO,
        """\
            ratio = 1 + (new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "exponent_minus_one",
        RATIO,
        """\
            ratio = math.expm1(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "exponential_of_the_quotient",
        RATIO,
        """\
            ratio = math.exp(new / old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "quotient_turned_round",
        RATIO,
        """\
            ratio = old / new
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "one_side_exponentiated",
        RATIO,
        """\
            ratio = math.exp(new) / -old
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "product_of_probabilities",
        RATIO,
        """\
            ratio = math.exp(new + old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "log_of_the_quotient",
        RATIO,
        """\
            ratio = 1 + math.log(new / old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "size_of_the_log_ratio",
        RATIO,
        """\
            ratio = math.exp(abs(new - old))
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "powers_of_two",
        RATIO,
        """\
            ratio = 2 ** (new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "against_the_reference",
        RATIO,
        """\
            ratio = math.exp(new - ref)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "reference_over_old",
        RATIO,
        """\
            ratio = math.exp(ref - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "new_over_itself",
        RATIO,
        """\
            ratio = math.exp(new - new)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "probability_for_ratio",
        RATIO,
        """\
            ratio = math.exp(new)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "whole_row",
        RATIO,
        """\
            ratio = math.exp(sum(new_row) - sum(old_row))
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "first_token_for_the_row",
        RATIO,
        """\
            ratio = math.exp(new_row[0] - old_row[0])
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
    Miss(
        "log_ratio",
        "log_ratio_clamped_to_the_range",
        RATIO,
        """\
            ratio = math.exp(min(max(new - old, -clip_eps / 2), clip_eps / 2))
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
""",
    ),
]
