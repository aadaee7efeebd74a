"""Mistakes in the model and in what the metrics tell that no kata test asks about."""

from near_misses_table import Miss

MASKED_MEAN = "    return (values.where(mask, 0.0).sum() / mask.sum().clamp(min=1)).item()\n"
KL = '        metrics["kl"] = masked_mean(k3(new_logps, ref_logps), mask)\n'
RATIO = '        metrics["ratio"] = masked_mean(token_ratio(new_logps, old_logps, mask), mask)\n'
CLIP_FRAC = '        metrics["clip_frac"] = clip_fraction(new_logps, old_logps, mask, clip_eps)\n'
AVERAGED = """\
    return {name: sum(m[name] for m in per_epoch) / epochs for name in per_epoch[0]}
"""
LENGTH = '        "length": rollout.mask.sum(dim=1).double().mean().item(),\n'
GROUPED = "    grouped = rewards.detach().view(-1, group_size)\n"
GAP = "    gap = (scored - rollout.old_logps).abs().where(rollout.mask, 0.0)\n"
VISIBLE = """\
        visible = square.tril() & attention_mask.bool()[:, None] | square.diag().diag()
"""
EMBEDDED = "        x = self.dropout(self.token(tokens) + self.position(position_ids))\n"
FORWARD = "    return policy(tokens, attention_mask, position_ids(attention_mask))\n"
RETURNED = """\
    return (chosen, torch.special.entr(logps.detach().exp()).sum(dim=-1)) if entropy else chosen
"""

MISSES = [
    Miss(
        "decoy",
        "mean_of_nothing",
        MASKED_MEAN,
        "    return (values.where(mask, 0.0).sum() / mask.sum()).item()\n",
    ),
    Miss(
        "decoy",
        "kl_metric_against_old",
        KL,
        '        metrics["kl"] = masked_mean(k3(new_logps, old_logps), mask)\n',
    ),
    Miss(
        "decoy",
        "ratio_metric_against_reference",
        RATIO,
        '        metrics["ratio"] = masked_mean(token_ratio(new_logps, ref_logps, mask), mask)\n',
    ),
    Miss(
        "decoy",
        "clip_fraction_at_the_default",
        CLIP_FRAC,
        '        metrics["clip_frac"] = clip_fraction(new_logps, old_logps, mask)\n',
    ),
    Miss("decoy", "last_epoch_only", AVERAGED, "    return per_epoch[-1]\n"),
    Miss(
        "decoy",
        "length_of_the_longest",
        LENGTH,
        '        "length": rollout.mask.sum(dim=1).double().max().item(),\n',
    ),
    Miss(
        "decoy",
        "length_without_eos",
        LENGTH,
        """\
        "length": (rollout.mask.sum(dim=1) - rollout.ended.int()).double().mean().item(),
""",
    ),
    Miss(
        "decoy",
        "tied_across_groups",
        GROUPED,
        "    grouped = rewards.detach().view(group_size, -1).T\n",
    ),
    Miss(
        "decoy",
        "gap_without_abs",
        GAP,
        "    gap = (scored - rollout.old_logps).where(rollout.mask, 0.0)\n",
    ),
    Miss(
        "decoy",
        "gap_over_padding",
        GAP,
        "    gap = (scored - rollout.old_logps).abs().where(~rollout.mask, 0.0)\n",
    ),
    Miss(
        "decoy",
        "sees_the_future",
        VISIBLE,
        "        visible = attention_mask.bool()[:, None] | square.diag().diag()\n",
    ),
    Miss(
        "decoy",
        "sees_only_the_future",
        VISIBLE,
        """\
        visible = square.triu() & attention_mask.bool()[:, None] | square.diag().diag()
""",
    ),
    Miss(
        "decoy",
        "sees_padding",
        VISIBLE,
        "        visible = (square.tril() | square.diag().diag()).expand(len(tokens), -1, -1)\n",
    ),
    Miss(
        "decoy",
        "padding_sees_nothing",
        VISIBLE,
        "        visible = square.tril() & attention_mask.bool()[:, None]\n",
    ),
    Miss(
        "decoy",
        "rows_of_the_mask_for_columns",
        VISIBLE,
        """\
        visible = square.tril() & attention_mask.bool()[:, :, None] | square.diag().diag()
""",
    ),
    Miss("decoy", "positions_not_used", EMBEDDED, "        x = self.dropout(self.token(tokens))\n"),
    Miss(
        "decoy",
        "positions_of_the_model_itself",
        EMBEDDED,
        """\
        own = torch.arange(tokens.shape[1])
        x = self.dropout(self.token(tokens) + self.position(own))
""",
    ),
    Miss(
        "decoy",
        "attention_mask_not_passed",
        FORWARD,
        """\
    return policy(tokens, torch.ones_like(attention_mask), position_ids(attention_mask))
""",
    ),
    Miss(
        "decoy",
        "entropy_of_untempered_logits",
        RETURNED,
        """\
    entropies = torch.special.entr(logits.detach().softmax(dim=-1)).sum(dim=-1)
    return (chosen, entropies) if entropy else chosen
""",
    ),
    Miss(
        "decoy",
        "entropy_of_the_sampled_token",
        RETURNED,
        "    return (chosen, -chosen.detach()) if entropy else chosen\n",
    ),
]
