"""Near misses of padding_mask: in grpo_loss, or in the mask that reaches it."""

from .miss import Miss

RETURN = """\
    return total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
"""

SKIP = """\
            if not real:
                continue
"""

COUNT = """\
            count += 1
    return total / count if count else 0.0
"""

SUM = """\
            total += beta * kl - surrogate
            count += 1
"""

SKIP_TO_SUM = """\
            if not real:
                continue
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
            kl = math.exp(ref - new) - (ref - new) - 1
            total += beta * kl - surrogate
            count += 1
"""

SKIP_AND_RATIO = """\
            if not real:
                continue
            ratio = math.exp(new - old)
"""

SKIP_TO_SURROGATE = """\
            if not real:
                continue
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
"""

ROW = """\
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask_row):
            if not real:
                continue
"""

MASK = """\
    mask = [[1] * len(completion) + [0] * (width - len(completion)) for completion in completions]
"""

SAMPLED = """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
"""

MISSES = [
    Miss(
        "padding_mask",
        "numerator_only",
        SKIP,
        """\
            if not real:
                count += 1
                continue
""",
    ),
    Miss(
        "padding_mask",
        "count_only",
        SKIP_TO_SUM,
        """\
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
            kl = math.exp(ref - new) - (ref - new) - 1
            total += beta * kl - surrogate
            count += real
""",
    ),
    Miss(
        "padding_mask",
        "kl_left_unmasked",
        SKIP_TO_SURROGATE,
        """\
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage) * real
            count -= 1 - real
""",
    ),
    Miss(
        "padding_mask",
        "surrogate_left_unmasked",
        SKIP_TO_SUM,
        """\
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
            kl = math.exp(ref - new) - (ref - new) - 1
            total += beta * kl * real - surrogate
            count += real
""",
    ),
    Miss(
        "padding_mask",
        "mask_on_the_log_ratio",
        SKIP_AND_RATIO,
        """\
            ratio = math.exp((new - old) * real)
""",
    ),
    Miss(
        "padding_mask",
        "mask_on_the_advantage_only",
        SKIP_TO_SURROGATE,
        """\
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage * real, clipped * advantage * real)
""",
    ),
    Miss(
        "padding_mask",
        "mask_inverted",
        SKIP,
        """\
            if real:
                continue
""",
    ),
    Miss(
        "padding_mask",
        "mask_of_the_first_row",
        ROW,
        """\
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask[0]):
            if not real:
                continue
""",
    ),
    Miss(
        "padding_mask",
        "mask_of_the_last_row",
        ROW,
        """\
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask[-1]):
            if not real:
                continue
""",
    ),
    Miss(
        "padding_mask",
        "loop_left_at_the_last_real_token",
        ROW,
        """\
        length = sum(mask_row)
        for new, old, ref, _ in zip(new_row, old_row, ref_row, mask_row[: length - 1]):
""",
    ),
    Miss(
        "padding_mask",
        "one_pad_summed",
        ROW,
        """\
        length = sum(mask_row)
        for new, old, ref, _ in zip(new_row, old_row, ref_row, mask_row[: length + 1]):
""",
    ),
    Miss(
        "padding_mask",
        "padded_rows_dropped",
        ROW,
        """\
        if not all(mask_row):
            continue
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask_row):
""",
    ),
    Miss(
        "padding_mask",
        "cut_to_the_shortest_row",
        ROW,
        """\
        shortest = min(map(sum, mask))
        for new, old, ref, _ in zip(new_row, old_row, ref_row, mask_row[:shortest]):
""",
    ),
    Miss(
        "padding_mask",
        "skipped_where_log_prob_is_zero",
        SKIP,
        """\
            if new == 0:
                continue
""",
    ),
    Miss(
        "padding_mask",
        "skipped_where_new_equals_old",
        SKIP,
        """\
            if new == old:
                continue
""",
    ),
    Miss(
        "padding_mask",
        "mean_of_row_means",
        SUM,
        """\
            total += (beta * kl - surrogate) / sum(mask_row) / sum(map(any, mask))
            count = 1
""",
    ),
    Miss(
        "padding_mask",
        "sum_of_row_means",
        SUM,
        """\
            total += (beta * kl - surrogate) / sum(mask_row)
            count = 1
""",
    ),
    Miss(
        "padding_mask",
        "mean_over_rows",
        COUNT,
        """\
            count = len(mask)
    return total / count if count else 0.0
""",
    ),
    Miss(
        "padding_mask",
        "summed_and_not_averaged",
        RETURN,
        """\
    return total


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
""",
    ),
    Miss(
        "padding_mask",
        "divided_by_the_longest_row",
        RETURN,
        """\
    return total / max(map(sum, mask)) if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
""",
    ),
    Miss(
        "padding_mask",
        "mask_from_token_ids_in_rollout",
        MASK,
        """\
    mask = [[int(token != PAD) for token in line] for line in tokens]
""",
    ),
    Miss(
        "padding_mask",
        "mask_from_token_ids_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = [[int(token != PAD) for token in line] for line in tokens]
""",
    ),
    Miss(
        "padding_mask",
        "trailing_pads_stripped_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = [[int(any(line[t:])) for t in range(len(line))] for line in tokens]
""",
    ),
    Miss(
        "padding_mask",
        "mask_up_to_the_first_pad_in_train",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        mask = [[int(all(line[: t + 1])) for t in range(len(line))] for line in tokens]
""",
    ),
    Miss(
        "padding_mask",
        "mask_of_ones_in_rollout",
        MASK,
        """\
    mask = [[1] * width for completion in completions]
""",
    ),
    Miss(
        "padding_mask",
        "last_token_masked_in_rollout",
        MASK,
        """\
    mask = [[int(t < len(line) - 1) for t in range(width)] for line in completions]
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
