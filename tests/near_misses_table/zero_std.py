"""Near misses of zero_std, in group_advantages."""

from .miss import Miss

NORMALISED = """\
        advantages += [(reward - mean) / (std + eps) for reward in group]
"""

SIGNATURE = """\
def group_advantages(rewards, group_size, eps=1e-6):
"""

MISSES = [
    Miss(
        "zero_std",
        "eps_in_the_numerator",
        NORMALISED,
        """\
        advantages += [(reward - mean + eps) / std for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "eps_added_after_dividing",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std + eps for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "eps_multiplied",
        NORMALISED,
        """\
        advantages += [(reward - mean) / (std * eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "min_of_std_and_eps",
        NORMALISED,
        """\
        advantages += [(reward - mean) / min(std, eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "default_eps_of_zero",
        SIGNATURE,
        """\
def group_advantages(rewards, group_size, eps=0.0):
""",
    ),
    Miss(
        "zero_std",
        "eps_of_one",
        NORMALISED,
        """\
        advantages += [(reward - mean) / (std + 1.0) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "default_eps_of_a_tenth",
        SIGNATURE,
        """\
def group_advantages(rewards, group_size, eps=0.1):
""",
    ),
    Miss(
        "zero_std",
        "floor_of_one",
        NORMALISED,
        """\
        advantages += [(reward - mean) / max(std, 1.0) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "nan_for_zero",
        NORMALISED,
        """\
        advantages += [(reward - mean) / (std or math.nan) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "nan_kept_from_the_division",
        NORMALISED,
        """\
        scale = 1 / std if std else math.inf
        advantages += [(reward - mean) * scale for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "one_tied_group_zeroes_all",
        NORMALISED,
        """\
        if std == 0:
            return [0.0] * len(rewards)
        advantages += [(reward - mean) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "tied_group_dropped",
        NORMALISED,
        """\
        if std == 0:
            continue
        advantages += [(reward - mean) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "stops_at_a_tied_group",
        NORMALISED,
        """\
        if std == 0:
            return advantages
        advantages += [(reward - mean) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "one_zero_for_a_tied_group",
        NORMALISED,
        """\
        try:
            advantages += [(reward - mean) / std for reward in group]
        except ZeroDivisionError:
            advantages += [0.0]
""",
    ),
    Miss(
        "zero_std",
        "none_for_a_tied_group",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if std > eps else None for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "ones_for_a_tied_group",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if std > eps else 1.0 for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "rewards_for_a_tied_group",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if std > eps else reward for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "guard_swallows_small_spreads",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if std > 0.25 else 0.0 for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "guard_on_the_mean",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if mean > eps else 0.0 for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "guard_turned_round",
        NORMALISED,
        """\
        advantages += [0.0 if std > eps else (reward - mean) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "zero_std",
        "advantages_clamped_to_one",
        NORMALISED,
        """\
        advantages += [max(-1.0, min(1.0, (reward - mean) / (std + eps))) for reward in group]
""",
    ),
    # Three rewards of 0.1 have a mean of 0.10000000000000002: equal, yet std is 1.4e-17.
    Miss(
        "zero_std",
        "guard_at_exactly_zero",
        NORMALISED,
        """\
        advantages += [(reward - mean) / std if std else 0.0 for reward in group]
""",
    ),
]
