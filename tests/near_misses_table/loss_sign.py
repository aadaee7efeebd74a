"""Near misses of loss_sign, in grpo_loss."""

from .miss import Miss

SURROGATE = """\
            surrogate = min(ratio * advantage, clipped * advantage)
"""

TOTAL = """\
            total += beta * kl - surrogate
"""

RETURN = """\
    return total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
"""

MISSES = [
    Miss(
        "loss_sign",
        "kl_flipped_along",
        TOTAL,
        """\
            total += -beta * kl - surrogate
""",
    ),
    Miss(
        "loss_sign",
        "kl_inside_the_brackets",
        TOTAL,
        """\
            total -= surrogate + beta * kl
""",
    ),
    Miss(
        "loss_sign",
        "whole_loss_negated",
        TOTAL,
        """\
            total -= beta * kl - surrogate
""",
    ),
    Miss(
        "loss_sign",
        "negated_twice",
        RETURN,
        """\
    return -total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
""",
    ),
    Miss(
        "loss_sign",
        "flipped_for_positive_advantages_only",
        TOTAL,
        """\
            total += beta * kl - (surrogate if advantage > 0 else -surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "flipped_for_negative_advantages_only",
        TOTAL,
        """\
            total += beta * kl - (surrogate if advantage < 0 else -surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "size_of_the_surrogate",
        TOTAL,
        """\
            total += beta * kl + abs(surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "size_of_the_loss",
        RETURN,
        """\
    return abs(total / count) if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
""",
    ),
    Miss(
        "loss_sign",
        "floored_at_zero",
        RETURN,
        """\
    return max(0.0, total / count) if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
""",
    ),
    Miss(
        "loss_sign",
        "max_of_negatives_subtracted",
        SURROGATE,
        """\
            surrogate = max(-ratio * advantage, -clipped * advantage)
""",
    ),
    Miss(
        "loss_sign",
        "only_the_clipped_term_negated",
        SURROGATE,
        """\
            surrogate = min(ratio * advantage, -clipped * advantage)
""",
    ),
    Miss(
        "loss_sign",
        "only_the_unclipped_term_negated",
        SURROGATE,
        """\
            surrogate = min(-ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "loss_sign",
        "surrogate_dropped",
        TOTAL,
        """\
            total += beta * kl
""",
    ),
    Miss(
        "loss_sign",
        "kl_dropped",
        TOTAL,
        """\
            total -= surrogate
""",
    ),
    Miss(
        "loss_sign",
        "beta_dropped",
        TOTAL,
        """\
            total += kl - surrogate
""",
    ),
    Miss(
        "loss_sign",
        "beta_on_both",
        TOTAL,
        """\
            total += beta * (kl - surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "beta_on_the_surrogate",
        TOTAL,
        """\
            total += kl - beta * surrogate
""",
    ),
    Miss(
        "loss_sign",
        "product_for_difference",
        TOTAL,
        """\
            total += beta * kl * -surrogate
""",
    ),
]
