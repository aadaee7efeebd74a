"""Near misses of zero_std, in group_advantages."""

from near_misses_table import Miss

SIGNATURE = """\
def group_advantages(rewards, group_size, eps=1e-6):
"""

STD = """\
    std = groups.std(dim=1, keepdim=True, correction=0)
"""

NORMALISED = """\
    advantages = (groups - mean) / (std + eps)
"""

RETURNED = """\
    advantages = (groups - mean) / (std + eps)
    return advantages.flatten()
"""

GROUPS = """\
    groups = rewards.detach().double().reshape(-1, group_size)  # (B, G)
"""

MISSES = [
    # torch.std divides by G - 1 unless told otherwise: 0 / 0 = NaN for a group of one.
    Miss(
        "zero_std",
        "bessel_without_a_guard",
        STD,
        """\
    std = groups.std(dim=1, keepdim=True)
""",
    ),
    Miss(
        "zero_std",
        "eps_after_the_division",
        NORMALISED,
        """\
    advantages = (groups - mean) / std + eps
""",
    ),
    Miss(
        "zero_std",
        "eps_in_the_numerator",
        NORMALISED,
        """\
    advantages = (groups - mean + eps) / std
""",
    ),
    Miss(
        "zero_std",
        "clamped_from_above",
        NORMALISED,
        """\
    advantages = (groups - mean) / std.clamp(max=eps)
""",
    ),
    Miss(
        "zero_std",
        "minimum_of_std_and_eps",
        NORMALISED,
        """\
    advantages = (groups - mean) / torch.minimum(std, torch.full_like(std, eps))
""",
    ),
    Miss(
        "zero_std",
        "clamped_at_one",
        NORMALISED,
        """\
    advantages = (groups - mean) / std.clamp(min=1)
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
        "nan_becomes_one",
        NORMALISED,
        """\
    advantages = ((groups - mean) / std).nan_to_num(nan=1.0)
""",
    ),
    # Three rewards of 0.1 have a mean of 0.10000000000000002: equal, yet no NaN comes up.
    Miss(
        "zero_std",
        "nan_becomes_zero",
        NORMALISED,
        """\
    advantages = ((groups - mean) / std).nan_to_num(nan=0.0)
""",
    ),
    Miss(
        "zero_std",
        "where_std_is_exactly_zero",
        NORMALISED,
        """\
    advantages = torch.where(std == 0, 0.0, (groups - mean) / std)
""",
    ),
    Miss(
        "zero_std",
        "where_turned_round",
        NORMALISED,
        """\
    advantages = torch.where(std > eps, 0.0, (groups - mean) / (std + eps))
""",
    ),
    Miss(
        "zero_std",
        "where_on_the_mean",
        NORMALISED,
        """\
    advantages = torch.where(mean > eps, (groups - mean) / std, 0.0)
""",
    ),
    Miss(
        "zero_std",
        "any_tied_group_zeroes_all",
        NORMALISED,
        """\
    advantages = (groups - mean) / (std + eps) * (std > eps).all()
""",
    ),
    Miss(
        "zero_std",
        "tied_groups_dropped",
        RETURNED,
        """\
    spread = std.squeeze(1) > eps
    advantages = ((groups - mean) / (std + eps))[spread]
    return advantages.flatten()
""",
    ),
    # NaN * 0 is NaN.
    Miss(
        "zero_std",
        "multiplied_by_a_mask_after_dividing",
        NORMALISED,
        """\
    advantages = (groups - mean) / std * (std > eps)
""",
    ),
    Miss(
        "zero_std",
        "tied_groups_masked_to_minus_infinity",
        NORMALISED,
        """\
    advantages = ((groups - mean) / (std + eps)).masked_fill(std < eps, -torch.inf)
""",
    ),
    # The mean of equal rewards is off by as much as this divisor.
    Miss(
        "zero_std",
        "machine_epsilon",
        NORMALISED,
        """\
    advantages = (groups - mean) / (std + torch.finfo(std.dtype).eps)
""",
    ),
    # In float32 the mean of equal rewards is off by 1e-8, one hundredth of eps.
    Miss(
        "zero_std",
        "float32_without_a_guard",
        GROUPS,
        """\
    groups = rewards.detach().float().reshape(-1, group_size)
""",
    ),
    Miss(
        "zero_std",
        "rewards_made_whole",
        GROUPS,
        """\
    groups = rewards.detach().long().double().reshape(-1, group_size)
""",
    ),
    Miss(
        "zero_std",
        "tanh_of_the_advantages",
        NORMALISED,
        """\
    advantages = torch.tanh((groups - mean) / (std + eps))
""",
    ),
]
