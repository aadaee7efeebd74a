"""Near misses of padding_mask: the mask, and the axis along which advantages are spread."""

from near_misses_table import Miss

REAL = """\
    real = mask.bool()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]  # (real tokens,)
"""

CHOSEN = """\
    real = mask.bool()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]  # (real tokens,)
    advantage = advantages.unsqueeze(1).expand(mask.shape)[real]
"""

SPREAD = """\
    advantage = advantages.unsqueeze(1).expand(mask.shape)[real]
"""

RETURN = """\
    return loss.sum() / max(len(loss), 1)
"""

MASK = """\
    mask = [[1] * len(completion) + [0] * (width - len(completion)) for completion in completions]
"""

SAMPLED = """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
"""

TO_LOSS = """\
    real = mask.bool()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]  # (real tokens,)
    advantage = advantages.unsqueeze(1).expand(mask.shape)[real]
    ratio = torch.exp(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref - new) - (ref - new) - 1
    loss = beta * kl - surrogate
    return loss.sum() / max(len(loss), 1)
"""

MISSES = [
    Miss(
        "padding_mask",
        "numerator_only",
        RETURN,
        """\
    return loss.sum() / mask.numel()
""",
    ),
    Miss(
        "padding_mask",
        "count_only",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return loss.sum() / mask.sum().clamp(min=1)
""",
    ),
    Miss(
        "padding_mask",
        "mean_of_the_masked",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return (loss * mask).mean()
""",
    ),
    Miss(
        "padding_mask",
        "mean_of_row_means",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return ((loss * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)).mean()
""",
    ),
    Miss(
        "padding_mask",
        "mean_of_column_means",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return ((loss * mask).sum(dim=0) / mask.sum(dim=0).clamp(min=1)).mean()
""",
    ),
    # 1 // count is 0.
    Miss(
        "padding_mask",
        "integer_division_of_the_mask",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return (loss * (mask // mask.sum().clamp(min=1))).sum()
""",
    ),
    Miss(
        "padding_mask",
        "integer_division_by_the_count",
        RETURN,
        """\
    return loss.sum() // max(len(loss), 1)
""",
    ),
    Miss(
        "padding_mask",
        "count_in_whole_rows",
        RETURN,
        """\
    return loss.sum() / max(len(loss) // mask.shape[1] * mask.shape[1], 1)
""",
    ),
    # An integer mask picks rows 0 and 1; only a bool one picks positions.
    Miss(
        "padding_mask",
        "mask_as_an_index",
        REAL,
        """\
    real = mask.long()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    Miss(
        "padding_mask",
        "mask_inverted",
        REAL,
        """\
    real = ~mask.bool()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    Miss(
        "padding_mask",
        "columns_without_padding_only",
        REAL,
        """\
    real = mask.bool().all(dim=0).expand(mask.shape)
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    Miss(
        "padding_mask",
        "columns_with_a_real_token",
        REAL,
        """\
    real = mask.bool().any(dim=0).expand(mask.shape)
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    Miss(
        "padding_mask",
        "mask_of_the_first_row",
        REAL,
        """\
    real = mask[0].bool().expand(mask.shape)
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    # Padding then has ratio 1: it counts, with its row's advantage.
    Miss(
        "padding_mask",
        "log_probs_multiplied_by_the_mask",
        CHOSEN,
        """\
    new, old, ref = ((x * mask).flatten() for x in (new_logps, old_logps, ref_logps))
    advantage = advantages.unsqueeze(1).expand(mask.shape).flatten()
""",
    ),
    Miss(
        "padding_mask",
        "skipped_where_new_equals_old",
        REAL,
        """\
    real = new_logps != old_logps
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]
""",
    ),
    Miss(
        "padding_mask",
        "only_nan_is_skipped",
        TO_LOSS,
        """\
    ratio = torch.exp(new_logps - old_logps)
    advantage = advantages.unsqueeze(1)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref_logps - new_logps) - (ref_logps - new_logps) - 1
    loss = beta * kl - surrogate
    return loss.nanmean()
""",
    ),
    # Fits only if N = T, and then silently.
    Miss(
        "padding_mask",
        "advantages_along_the_tokens",
        SPREAD,
        """\
    advantage = advantages.unsqueeze(0).expand(mask.shape)[real]
""",
    ),
    # As before: (N,) against (N, T) lines up with T.
    Miss(
        "padding_mask",
        "advantages_not_unsqueezed",
        SPREAD,
        """\
    advantage = advantages.expand(mask.shape)[real]
""",
    ),
    # repeat where repeat_interleave is meant.
    Miss(
        "padding_mask",
        "advantages_tiled",
        SPREAD,
        """\
    advantage = advantages.repeat(mask.shape[1]).view(mask.shape)[real]
""",
    ),
    Miss(
        "padding_mask",
        "advantages_viewed_by_column",
        SPREAD,
        """\
    advantage = advantages.repeat_interleave(mask.shape[1]).view(mask.T.shape).T[real]
""",
    ),
    Miss(
        "padding_mask",
        "mean_advantage_for_all",
        SPREAD,
        """\
    advantage = advantages.mean().expand(mask.shape)[real]
""",
    ),
    Miss(
        "padding_mask",
        "advantages_weighted_by_length",
        SPREAD,
        """\
    advantage = (advantages / mask.sum(dim=1)).unsqueeze(1).expand(mask.shape)[real]
""",
    ),
    Miss(
        "padding_mask",
        "mask_from_token_ids_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = (tokens != PAD).double()
""",
    ),
    Miss(
        "padding_mask",
        "mask_up_to_the_first_pad_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = (tokens != PAD).double().cumprod(dim=1)
""",
    ),
    Miss(
        "padding_mask",
        "ones_for_a_mask_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = torch.ones_like(mask)
""",
    ),
    Miss(
        "padding_mask",
        "one_pad_unmasked_in_rollout",
        MASK,
        """\
    mask = [[int(t <= len(line)) for t in range(width)] for line in completions]
""",
    ),
]
