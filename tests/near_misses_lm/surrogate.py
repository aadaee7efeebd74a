"""Near misses of pessimism, loss_sign and padded_mean."""

from near_misses_table import Miss

CLIPPED = "    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps) * per_token\n"
MINIMUM = "    return torch.minimum(unclipped, clipped)\n"
BOTH = """\
    unclipped = ratio * per_token
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps) * per_token
"""
POLICY_LOSS = "    policy_loss = -surrogate.sum() / token_count\n"
RETURNED = "    return policy_loss + kl_loss\n"
SURROGATE = """\
    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps) * mask
"""
COUNT = "    return max(int(mask.sum()), 1)\n"
TOKEN_COUNT = "    token_count = count_tokens(rollout.mask)\n"

MISSES = [
    Miss(
        "pessimism",
        "max_for_negative_advantages",
        MINIMUM,
        """\
    worse, better = torch.minimum(unclipped, clipped), torch.maximum(unclipped, clipped)
    return torch.where(per_token < 0, better, worse)
""",
    ),
    Miss(
        "pessimism",
        "max_for_positive_advantages",
        MINIMUM,
        """\
    worse, better = torch.minimum(unclipped, clipped), torch.maximum(unclipped, clipped)
    return torch.where(per_token > 0, better, worse)
""",
    ),
    Miss("pessimism", "clipped_only", MINIMUM, "    return clipped\n"),
    Miss("pessimism", "unclipped_only", MINIMUM, "    return unclipped\n"),
    Miss(
        "pessimism",
        "min_of_means",
        MINIMUM,
        "    return torch.minimum(unclipped.mean(), clipped.mean()).expand_as(ratio)\n",
    ),
    Miss(
        "pessimism",
        "min_of_row_means",
        MINIMUM,
        """\
    rows = torch.minimum(unclipped.mean(dim=1), clipped.mean(dim=1))
    return rows[:, None].expand_as(ratio)
""",
    ),
    Miss(
        "pessimism",
        "clipped_before_the_advantage",
        MINIMUM,
        "    return torch.minimum(ratio, ratio.clamp(1 - clip_eps, 1 + clip_eps)) * per_token\n",
    ),
    Miss(
        "pessimism", "negated_twice", MINIMUM, "    return -torch.minimum(-unclipped, -clipped)\n"
    ),
    Miss(
        "pessimism",
        "smaller_in_size",
        MINIMUM,
        "    return torch.where(unclipped.abs() < clipped.abs(), unclipped, clipped)\n",
    ),
    Miss(
        "pessimism",
        "clipped_from_above_only",
        CLIPPED,
        "    clipped = ratio.clamp(max=1 + clip_eps) * per_token\n",
    ),
    Miss(
        "pessimism",
        "clipped_from_below_only",
        CLIPPED,
        "    clipped = ratio.clamp(min=1 - clip_eps) * per_token\n",
    ),
    Miss(
        "pessimism",
        "clipped_in_place_first",
        BOTH,
        """\
    clipped = ratio.clamp_(1 - clip_eps, 1 + clip_eps) * per_token
    unclipped = ratio * per_token
""",
    ),
    Miss(
        "pessimism",
        "surrogate_clipped",
        CLIPPED,
        "    clipped = unclipped.clamp(1 - clip_eps, 1 + clip_eps)\n",
    ),
    Miss(
        "pessimism",
        "range_around_zero",
        CLIPPED,
        "    clipped = ratio.clamp(-clip_eps, clip_eps) * per_token\n",
    ),
    Miss(
        "loss_sign",
        "advantages_negated_too",
        SURROGATE,
        "    surrogate = clipped_surrogate(ratio, -advantages.to(ratio.dtype), clip_eps) * mask\n",
    ),
    Miss("loss_sign", "everything_negated", RETURNED, "    return -(policy_loss + kl_loss)\n"),
    Miss("loss_sign", "negated_again_at_the_end", RETURNED, "    return kl_loss - policy_loss\n"),
    Miss(
        "loss_sign",
        "minus_the_size",
        POLICY_LOSS,
        "    policy_loss = -surrogate.sum().abs() / token_count\n",
    ),
    Miss(
        "loss_sign",
        "squared",
        POLICY_LOSS,
        "    policy_loss = surrogate.sum().square() / token_count\n",
    ),
    Miss(
        "loss_sign",
        "advantages_without_sign",
        SURROGATE,
        """\
    surrogate = clipped_surrogate(ratio, advantages.abs().to(ratio.dtype), clip_eps) * mask
""",
    ),
    Miss("padded_mean", "rows_counted", COUNT, "    return max(len(mask), 1)\n"),
    Miss(
        "padded_mean",
        "longest_row_counted",
        COUNT,
        "    return max(int(mask.sum(dim=1).max()) * len(mask), 1)\n",
    ),
    Miss("padded_mean", "columns_counted", COUNT, "    return max(mask.shape[1], 1)\n"),
    Miss("padded_mean", "first_row_counted", COUNT, "    return max(int(mask[0].sum()), 1)\n"),
    Miss("padded_mean", "padding_counted", COUNT, "    return max(int((~mask.bool()).sum()), 1)\n"),
    Miss("padded_mean", "one_too_many", COUNT, "    return int(mask.sum()) + 1\n"),
    Miss("padded_mean", "any_instead_of_sum", COUNT, "    return max(int(mask.any()), 1)\n"),
    Miss(
        "padded_mean", "mean_of_the_surrogate", POLICY_LOSS, "    policy_loss = -surrogate.mean()\n"
    ),
    Miss(
        "padded_mean",
        "mean_of_row_means",
        POLICY_LOSS,
        """\
    lengths = mask.sum(dim=1).clamp(min=1)
    policy_loss = -(surrogate.sum(dim=1) / lengths).mean()
""",
    ),
    Miss(
        "padded_mean",
        "surrogate_left_unmasked",
        SURROGATE,
        "    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps)\n",
    ),
    Miss(
        "padded_mean",
        "surrogate_of_padding",
        SURROGATE,
        "    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps) * ~mask\n",
    ),
    Miss(
        "padded_mean",
        "padding_counted_in_the_update",
        TOKEN_COUNT,
        "    token_count = rollout.mask.numel()\n",
    ),
]
