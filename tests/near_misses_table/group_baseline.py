"""Near misses of group_baseline, in group_advantages."""

from .miss import Miss

MEAN = """\
        mean = sum(group) / len(group)
"""

STD = """\
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
"""

LOOP = """\
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
        advantages += [(reward - mean) / (std + eps) for reward in group]
"""

GROUPS = """\
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
"""

SLICE = """\
        group = rewards[start : start + group_size]
"""

MOMENTS = """\
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
"""

NORMALISED = """\
        advantages += [(reward - mean) / (std + eps) for reward in group]
"""

MISSES = [
    Miss(
        "group_baseline",
        "group_mean_batch_std",
        STD,
        """\
        overall = sum(rewards) / len(rewards)
        std = math.sqrt(sum((reward - overall) ** 2 for reward in rewards) / len(rewards))
""",
    ),
    Miss(
        "group_baseline",
        "batch_mean_group_std",
        NORMALISED,
        """\
        overall = sum(rewards) / len(rewards)
        advantages += [(reward - overall) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "group_std_around_batch_mean",
        STD,
        """\
        overall = sum(rewards) / len(rewards)
        std = math.sqrt(sum((reward - overall) ** 2 for reward in group) / len(group))
""",
    ),
    Miss(
        "group_baseline",
        "strided_by_number_of_groups",
        SLICE,
        """\
        group = rewards[start // group_size :: len(rewards) // group_size]
""",
    ),
    Miss(
        "group_baseline",
        "strided_by_group_size",
        LOOP,
        """\
    for i in range(len(rewards)):
        group = rewards[i % group_size :: group_size]
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
        advantages.append((rewards[i] - mean) / (std + eps))
""",
    ),
    Miss(
        "group_baseline",
        "strided_row_by_row",
        LOOP,
        """\
    for i in range(len(rewards)):
        groups = len(rewards) // group_size
        group = rewards[i % groups :: groups]
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
        advantages.append((rewards[i] - mean) / (std + eps))
""",
    ),
    Miss(
        "group_baseline",
        "number_of_groups_for_group_size",
        GROUPS,
        """\
    size = len(rewards) // group_size
    for start in range(0, len(rewards), size):
        group = rewards[start : start + size]
""",
    ),
    Miss(
        "group_baseline",
        "group_size_hard_coded",
        GROUPS,
        """\
    for start in range(0, len(rewards), 8):
        group = rewards[start : start + 8]
""",
    ),
    Miss(
        "group_baseline",
        "first_group_for_all",
        MOMENTS,
        """\
        first = rewards[:group_size]
        mean = sum(first) / len(first)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in first) / len(first))
""",
    ),
    Miss(
        "group_baseline",
        "running_baseline",
        MOMENTS,
        """\
        seen = rewards[: start + group_size]
        mean = sum(seen) / len(seen)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in seen) / len(seen))
""",
    ),
    Miss(
        "group_baseline",
        "last_of_group_left_out",
        MOMENTS,
        """\
        others = group[:-1]
        mean = sum(others) / len(others)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in others) / len(others))
""",
    ),
    Miss(
        "group_baseline",
        "window_slides_by_one",
        LOOP,
        """\
    for start in range(len(rewards)):
        group = rewards[start : start + group_size]
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
        advantages.append((rewards[start] - mean) / (std + eps))
""",
    ),
    Miss(
        "group_baseline",
        "leave_one_out_mean",
        NORMALISED,
        """\
        for reward in group:
            others = (sum(group) - reward) / max(len(group) - 1, 1)
            advantages.append((reward - others) / (std + eps))
""",
    ),
    Miss(
        "group_baseline",
        "median_baseline",
        MEAN,
        """\
        mean = sorted(group)[len(group) // 2]
""",
    ),
    Miss(
        "group_baseline",
        "worst_of_group_as_baseline",
        NORMALISED,
        """\
        advantages += [(reward - min(group)) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "mean_rounded_down",
        MEAN,
        """\
        mean = sum(group) // len(group)
""",
    ),
    Miss(
        "group_baseline",
        "sum_for_mean",
        MEAN,
        """\
        mean = sum(group)
""",
    ),
    Miss(
        "group_baseline",
        "no_baseline",
        NORMALISED,
        """\
        advantages += [reward / (std + eps) for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "baseline_minus_reward",
        NORMALISED,
        """\
        advantages += [(mean - reward) / (std + eps) for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "std_multiplied",
        NORMALISED,
        """\
        advantages += [(reward - mean) * (std + eps) for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "variance_for_std",
        STD,
        """\
        std = sum((reward - mean) ** 2 for reward in group) / len(group)
""",
    ),
    Miss(
        "group_baseline",
        "root_of_variance_over_square_count",
        STD,
        """\
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group)) / len(group)
""",
    ),
    Miss(
        "group_baseline",
        "variance_not_averaged",
        STD,
        """\
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group))
""",
    ),
    Miss(
        "group_baseline",
        "root_mean_square_for_std",
        STD,
        """\
        std = math.sqrt(sum(reward**2 for reward in group) / len(group))
""",
    ),
    Miss(
        "group_baseline",
        "mean_absolute_deviation",
        STD,
        """\
        std = sum(abs(reward - mean) for reward in group) / len(group)
""",
    ),
    Miss(
        "group_baseline",
        "range_for_std",
        STD,
        """\
        std = max(group) - min(group)
""",
    ),
    Miss(
        "group_baseline",
        "not_divided_by_std",
        NORMALISED,
        """\
        advantages += [reward - mean for reward in group]
""",
    ),
    Miss(
        "group_baseline",
        "only_the_mean_subtrahend_divided",
        NORMALISED,
        """\
        advantages += [reward - mean / (std + eps) for reward in group]
""",
    ),
]
