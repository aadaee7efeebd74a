"""Near misses of group_view, zero_std, reward_gradient and advantage_broadcast."""

from near_misses_table import Miss

VALUES = "    values = rewards.detach().double()\n"
GROUPED = "    grouped = values.view(-1, group_size)  # (B, G)\n"
CENTRED = "    centred = shifted - shifted.mean(dim=1, keepdim=True)\n"
SPREAD = "    spread = centred.square().mean(dim=1, keepdim=True).sqrt()\n"
RETURNED = "    return (centred / (spread + eps)).flatten()\n"
PER_TOKEN = "    per_token = advantages[:, None].expand_as(ratio)\n"
LINES_OF_MEAN_SQUARE_LESS_SQUARED_MEAN = """\
    centred = shifted - shifted.mean(dim=1, keepdim=True)
    spread = centred.square().mean(dim=1, keepdim=True).sqrt()
"""
LINES_OF_MEAN_DETACHED = """\
    values = rewards.detach().double()
    grouped = values.view(-1, group_size)  # (B, G)
    # Seen from the first of the group: the rounded mean of equal rewards need not equal them.
    shifted = grouped - grouped[:, :1]
    centred = shifted - shifted.mean(dim=1, keepdim=True)
"""
LINES_OF_STATISTICS_UNDER_NO_GRAD = """\
    values = rewards.detach().double()
    grouped = values.view(-1, group_size)  # (B, G)
    # Seen from the first of the group: the rounded mean of equal rewards need not equal them.
    shifted = grouped - grouped[:, :1]
    centred = shifted - shifted.mean(dim=1, keepdim=True)
    spread = centred.square().mean(dim=1, keepdim=True).sqrt()
"""
LINES_OF_STATISTICS_IN_FLOAT32 = """\
    values = rewards.detach().double()
    grouped = values.view(-1, group_size)  # (B, G)
    # Seen from the first of the group: the rounded mean of equal rewards need not equal them.
    shifted = grouped - grouped[:, :1]
"""

MISSES = [
    Miss("group_view", "transposed_view", GROUPED, "    grouped = values.view(group_size, -1).T\n"),
    Miss(
        "group_view",
        "as_wide_as_there_are_groups",
        GROUPED,
        "    grouped = values.view(-1, len(values) // group_size)\n",
    ),
    Miss("group_view", "one_group_of_all", GROUPED, "    grouped = values.view(1, -1)\n"),
    Miss(
        "group_view",
        "mean_over_groups",
        CENTRED,
        "    centred = shifted - shifted.mean(dim=0, keepdim=True)\n",
    ),
    Miss("group_view", "mean_of_all", CENTRED, "    centred = grouped - grouped.mean()\n"),
    Miss(
        "group_view",
        "mean_without_keepdim",
        CENTRED,
        "    centred = shifted - shifted.mean(dim=1)\n",
    ),
    Miss(
        "group_view",
        "mean_repeated",
        CENTRED,
        "    centred = shifted - shifted.mean(dim=1).repeat(group_size).view_as(shifted)\n",
    ),
    Miss(
        "group_view",
        "mean_expanded_the_wrong_way",
        CENTRED,
        """\
    centred = shifted - shifted.mean(dim=1).expand(group_size, -1).reshape(shifted.shape)
""",
    ),
    Miss("group_view", "no_baseline", CENTRED, "    centred = grouped\n"),
    Miss(
        "group_view",
        "spread_over_groups",
        SPREAD,
        "    spread = centred.square().mean(dim=0, keepdim=True).sqrt()\n",
    ),
    Miss("group_view", "spread_of_all", SPREAD, "    spread = centred.square().mean().sqrt()\n"),
    Miss(
        "group_view",
        "spread_without_keepdim",
        SPREAD,
        "    spread = centred.square().mean(dim=1).sqrt()\n",
    ),
    Miss(
        "group_view",
        "flattened_by_columns",
        RETURNED,
        "    return (centred / (spread + eps)).T.flatten()\n",
    ),
    Miss(
        "zero_std",
        "eps_added_to_the_quotient",
        RETURNED,
        "    return (centred / spread + eps).flatten()\n",
    ),
    Miss(
        "zero_std",
        "eps_in_the_numerator",
        RETURNED,
        "    return ((centred + eps) / spread).flatten()\n",
    ),
    Miss(
        "zero_std",
        "clamped_from_above",
        RETURNED,
        "    return (centred / spread.clamp(max=eps)).flatten()\n",
    ),
    Miss(
        "zero_std",
        "only_if_all_groups_are_tied",
        RETURNED,
        """\
    if not spread.any():
        return torch.zeros_like(values)
    return (centred / spread).flatten()
""",
    ),
    Miss(
        "zero_std",
        "tied_groups_get_ones",
        RETURNED,
        "    return (centred / (spread + eps)).where(spread > eps, 1.0).flatten()\n",
    ),
    Miss(
        "zero_std",
        "sample_std_of_a_group_of_one",
        SPREAD,
        "    spread = centred.square().sum(dim=1, keepdim=True).div(group_size - 1).sqrt()\n",
    ),
    Miss(
        "zero_std",
        "statistics_in_float32",
        LINES_OF_STATISTICS_IN_FLOAT32,
        """\
    values = rewards.detach().float()
    grouped = values.view(-1, group_size)  # (B, G)
    shifted = grouped
""",
    ),
    Miss(
        "zero_std",
        "mean_square_less_squared_mean",
        LINES_OF_MEAN_SQUARE_LESS_SQUARED_MEAN,
        """\
    centred = grouped - grouped.mean(dim=1, keepdim=True)
    spread = grouped.square().mean(dim=1, keepdim=True) - grouped.mean(dim=1, keepdim=True) ** 2
    spread = spread.sqrt()
""",
    ),
    Miss("reward_gradient", "cloned", VALUES, "    values = rewards.clone().double()\n"),
    Miss(
        "reward_gradient",
        "answer_of_detach_dropped",
        VALUES,
        """\
    rewards.detach()
    values = rewards.double()
""",
    ),
    Miss(
        "reward_gradient",
        "mean_detached",
        LINES_OF_MEAN_DETACHED,
        """\
    values = rewards.double()
    grouped = values.view(-1, group_size)  # (B, G)
    # Seen from the first of the group: the rounded mean of equal rewards need not equal them.
    shifted = grouped - grouped[:, :1].detach()
    centred = shifted - shifted.mean(dim=1, keepdim=True).detach()
""",
    ),
    Miss(
        "reward_gradient",
        "statistics_under_no_grad",
        LINES_OF_STATISTICS_UNDER_NO_GRAD,
        """\
    values = rewards.double()
    grouped = values.view(-1, group_size)  # (B, G)
    with torch.no_grad():
        mean = grouped.mean(dim=1, keepdim=True)
        spread = grouped.std(dim=1, keepdim=True, correction=0)
    centred = grouped - mean
""",
    ),
    Miss(
        "advantage_broadcast",
        "broadcast_along_the_row",
        PER_TOKEN,
        "    per_token = advantages[None, :].expand_as(ratio)\n",
    ),
    Miss(
        "advantage_broadcast",
        "left_to_broadcasting",
        PER_TOKEN,
        "    per_token = advantages.expand_as(ratio)\n",
    ),
    Miss(
        "advantage_broadcast",
        "interleaved_then_transposed",
        PER_TOKEN,
        """\
    per_token = advantages.repeat_interleave(ratio.shape[1]).view(*ratio.shape[::-1]).T
""",
    ),
    Miss(
        "advantage_broadcast",
        "mean_of_the_advantages",
        PER_TOKEN,
        "    per_token = advantages.mean().expand_as(ratio)\n",
    ),
    Miss(
        "advantage_broadcast",
        "on_the_last_token_only",
        PER_TOKEN,
        "    per_token = F.pad(advantages[:, None], (ratio.shape[1] - 1, 0))\n",
    ),
    Miss(
        "advantage_broadcast",
        "on_the_first_token_only",
        PER_TOKEN,
        "    per_token = F.pad(advantages[:, None], (0, ratio.shape[1] - 1))\n",
    ),
    Miss(
        "advantage_broadcast",
        "discounted_along_the_row",
        PER_TOKEN,
        "    per_token = advantages[:, None] * 0.9 ** torch.arange(ratio.shape[1])\n",
    ),
    Miss(
        "padded_mean",
        "advantage_shared_along_the_row",
        PER_TOKEN,
        "    per_token = (advantages[:, None] / ratio.shape[1]).expand_as(ratio)\n",
    ),
]
