"""Near misses of metric_over_padding, and changes to what the other metrics tell."""

from near_misses_table import Miss

FRACTION = "    return masked_mean(outside.double(), mask)\n"
OUTSIDE = "    outside = (token_ratio(new, old, mask) - 1).abs() > clip_eps\n"
MASKED_MEAN = "    return (values.where(mask, 0.0).sum() / mask.sum().clamp(min=1)).item()\n"
ENTROPY = """\
        metrics = {"loss": loss, "grad_norm": grad_norm, "entropy": masked_mean(entropy, mask)}
"""
KL = '        metrics["kl"] = masked_mean(k3(new_logps, ref_logps), mask)\n'
RATIO = '        metrics["ratio"] = masked_mean(token_ratio(new_logps, old_logps, mask), mask)\n'
SKIPPED = '        metrics["skipped"] = epochs * (not math.isfinite(grad_norm))\n'
AVERAGED = """\
    return {name: sum(m[name] for m in per_epoch) / epochs for name in per_epoch[0]}
"""
LENGTH = '        "length": rollout.mask.sum(dim=1).double().mean().item(),\n'
EOS_SHARE = '        "eos_share": rollout.ended.double().mean().item(),\n'
TIED = '        "tied_share": (grouped == grouped[:, :1]).all(dim=1).double().mean().item(),\n'
REWARD = '        "reward": grouped.mean().item(),\n'

MISSES = [
    Miss(
        "metric_over_padding",
        "masked_then_plain_mean",
        FRACTION,
        "    return (outside & mask).double().mean().item()\n",
    ),
    Miss(
        "metric_over_padding",
        "mean_of_row_means",
        FRACTION,
        """\
    lengths = mask.sum(dim=1).clamp(min=1)
    return ((outside & mask).sum(dim=1) / lengths).double().mean().item()
""",
    ),
    Miss(
        "metric_over_padding",
        "divided_by_all",
        MASKED_MEAN,
        "    return (values.where(mask, 0.0).sum() / mask.numel()).item()\n",
    ),
    Miss("metric_over_padding", "plain_mean", MASKED_MEAN, "    return values.mean().item()\n"),
    Miss(
        "metric_over_padding",
        "divided_by_rows",
        FRACTION,
        "    return (outside & mask).sum().item() / len(mask)\n",
    ),
    Miss(
        "metric_over_padding",
        "mask_of_the_first_row",
        FRACTION,
        "    return masked_mean(outside.double(), mask[:1].expand_as(mask))\n",
    ),
    Miss(
        "decoy",
        "clip_fraction_above_only",
        OUTSIDE,
        "    outside = token_ratio(new, old, mask) - 1 > clip_eps\n",
    ),
    Miss(
        "decoy",
        "clip_fraction_below_only",
        OUTSIDE,
        "    outside = 1 - token_ratio(new, old, mask) > clip_eps\n",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_half_the_range",
        OUTSIDE,
        "    outside = (token_ratio(new, old, mask) - 1).abs() > clip_eps / 2\n",
    ),
    Miss(
        "decoy",
        "skipped_counts_what_was_not",
        SKIPPED,
        '        metrics["skipped"] = epochs * math.isfinite(grad_norm)\n',
    ),
    Miss("frozen_old", "first_epoch_only", AVERAGED, "    return per_epoch[0]\n"),
    Miss(
        "decoy",
        "eos_share_of_the_rest",
        EOS_SHARE,
        '        "eos_share": (~rollout.ended).double().mean().item(),\n',
    ),
    Miss(
        "decoy",
        "eos_share_of_tokens",
        EOS_SHARE,
        '        "eos_share": (rollout.completions == EOS).double().mean().item(),\n',
    ),
    Miss(
        "decoy",
        "tied_with_any",
        TIED,
        '        "tied_share": (grouped == grouped[:, :1]).any(dim=1).double().mean().item(),\n',
    ),
    Miss(
        "decoy",
        "reward_of_the_best",
        REWARD,
        '        "reward": grouped.amax(dim=1).mean().item(),\n',
    ),
]
# As wrong, but of metrics in which no bug is planted.
UNGUARDED = [
    Miss(
        "metric_over_padding",
        "entropy_over_padding",
        ENTROPY,
        """\
        metrics = {"loss": loss, "grad_norm": grad_norm, "entropy": entropy.mean().item()}
""",
    ),
    Miss(
        "metric_over_padding",
        "kl_over_padding",
        KL,
        '        metrics["kl"] = k3(new_logps, ref_logps).mean().item()\n',
    ),
    Miss(
        "metric_over_padding",
        "ratio_over_padding",
        RATIO,
        '        metrics["ratio"] = token_ratio(new_logps, old_logps, mask).mean().item()\n',
    ),
    Miss(
        "metric_over_padding",
        "length_with_padding",
        LENGTH,
        '        "length": float(rollout.mask.shape[1]),\n',
    ),
]
