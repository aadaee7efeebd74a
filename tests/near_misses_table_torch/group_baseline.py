"""Near misses of group_baseline, in group_advantages."""

from near_misses_table import Miss

GROUPS = """\
    groups = rewards.detach().double().reshape(-1, group_size)  # (B, G)
"""

MEAN = """\
    mean = groups.mean(dim=1, keepdim=True)
"""

STD = """\
    std = groups.std(dim=1, keepdim=True, correction=0)
"""

MOMENTS = """\
    mean = groups.mean(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True, correction=0)
"""

FLAT = """\
    return advantages.flatten()
"""

ALL = """\
    mean = groups.mean(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True, correction=0)
    advantages = (groups - mean) / (std + eps)
    return advantages.flatten()
"""

MISSES = [
    Miss(
        "group_baseline",
        "moments_over_dim_0",
        MOMENTS,
        """\
    mean = groups.mean(dim=0, keepdim=True)
    std = groups.std(dim=0, keepdim=True, correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "mean_over_dim_0",
        MEAN,
        """\
    mean = groups.mean(dim=0, keepdim=True)
""",
    ),
    Miss(
        "group_baseline",
        "std_over_dim_0",
        STD,
        """\
    std = groups.std(dim=0, keepdim=True, correction=0)
""",
    ),
    # Broadcasts silently when there are as many groups as completions in one.
    Miss(
        "group_baseline",
        "keepdim_forgotten",
        MOMENTS,
        """\
    mean = groups.mean(dim=1)
    std = groups.std(dim=1, correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "keepdim_forgotten_in_the_mean",
        MEAN,
        """\
    mean = groups.mean(dim=1)
""",
    ),
    Miss(
        "group_baseline",
        "keepdim_forgotten_in_the_std",
        STD,
        """\
    std = groups.std(dim=1, correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "batch_mean",
        MEAN,
        """\
    mean = groups.mean()
""",
    ),
    Miss(
        "group_baseline",
        "batch_std",
        STD,
        """\
    std = groups.std(correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "std_of_the_group_means",
        STD,
        """\
    std = mean.std(correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "viewed_group_size_first",
        GROUPS,
        """\
    groups = rewards.detach().double().reshape(group_size, -1)
""",
    ),
    Miss(
        "group_baseline",
        "strided_groups",
        ALL,
        """\
    groups = rewards.detach().double().reshape(group_size, -1).T
    mean = groups.mean(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True, correction=0)
    advantages = (groups - mean) / (std + eps)
    return advantages.T.flatten()
""",
    ),
    Miss(
        "group_baseline",
        "flattened_column_by_column",
        FLAT,
        """\
    return advantages.T.flatten()
""",
    ),
    # repeat where repeat_interleave is meant.
    Miss(
        "group_baseline",
        "moments_tiled_over_the_rows",
        ALL,
        """\
    mean = groups.mean(dim=1).repeat(group_size)
    std = groups.std(dim=1, correction=0).repeat(group_size)
    return (groups.flatten() - mean) / (std + eps)
""",
    ),
    Miss(
        "group_baseline",
        "moments_of_the_first_group",
        MOMENTS,
        """\
    mean = groups[0].mean()
    std = groups[0].std(correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "median_for_mean",
        MEAN,
        """\
    mean = groups.median(dim=1, keepdim=True).values
""",
    ),
    Miss(
        "group_baseline",
        "sum_for_mean",
        MEAN,
        """\
    mean = groups.sum(dim=1, keepdim=True)
""",
    ),
    Miss(
        "group_baseline",
        "variance_for_std",
        STD,
        """\
    std = groups.var(dim=1, keepdim=True, correction=0)
""",
    ),
    Miss(
        "group_baseline",
        "norm_for_std",
        STD,
        """\
    std = (groups - mean).norm(dim=1, keepdim=True)
""",
    ),
    Miss(
        "group_baseline",
        "standard_error_for_std",
        STD,
        """\
    std = groups.std(dim=1, keepdim=True, correction=0) / group_size**0.5
""",
    ),
    Miss(
        "group_baseline",
        "whitened_over_the_batch_afterwards",
        FLAT,
        """\
    return ((advantages - advantages.mean()) / (advantages.std(correction=0) + 1)).flatten()
""",
    ),
]
