"""Changes to what was never wrong in grpo_loss, clip_fraction, log_softmax and token_logps."""

from .miss import Miss

KL = """\
            kl = math.exp(ref - new) - (ref - new) - 1
"""

OUTSIDE = """\
                outside += abs(math.exp(new - old) - 1) > clip_eps
"""

REAL_TOKENS = """\
            if real:
                outside += abs(math.exp(new - old) - 1) > clip_eps
                count += 1
    return outside / count if count else 0.0
"""

FRACTION = """\
    return outside / count if count else 0.0
"""

LOG_TOTAL = """\
    log_total = top + math.log(sum(math.exp(x - top) for x in logits))
    return [x - log_total for x in logits]
"""

LOGPS = """\
    return [[table[row][token] for token in line] for row, line in zip(rows, tokens)]
"""

MISSES = [
    Miss(
        "decoy",
        "kl_of_the_reference_to_the_policy",
        KL,
        """\
            kl = math.exp(new - ref) - (new - ref) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_k1",
        KL,
        """\
            kl = new - ref
""",
    ),
    Miss(
        "decoy",
        "kl_k1_turned_round",
        KL,
        """\
            kl = ref - new
""",
    ),
    Miss(
        "decoy",
        "kl_k2",
        KL,
        """\
            kl = (ref - new) ** 2 / 2
""",
    ),
    Miss(
        "decoy",
        "kl_size_of_the_gap",
        KL,
        """\
            kl = abs(ref - new)
""",
    ),
    Miss(
        "decoy",
        "kl_without_minus_one",
        KL,
        """\
            kl = math.exp(ref - new) - (ref - new)
""",
    ),
    Miss(
        "decoy",
        "kl_without_the_gap",
        KL,
        """\
            kl = math.exp(ref - new) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_gap_added",
        KL,
        """\
            kl = math.exp(ref - new) + (ref - new) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_sign_turned_round",
        KL,
        """\
            kl = 1 + (ref - new) - math.exp(ref - new)
""",
    ),
    Miss(
        "decoy",
        "kl_to_the_old_policy",
        KL,
        """\
            kl = math.exp(old - new) - (old - new) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_of_the_old_policy",
        KL,
        """\
            kl = math.exp(ref - old) - (ref - old) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_weighted_by_the_ratio",
        KL,
        """\
            kl = ratio * (math.exp(ref - new) - (ref - new) - 1)
""",
    ),
    Miss(
        "decoy",
        "kl_weighted_by_the_probability",
        KL,
        """\
            kl = math.exp(new) * (new - ref)
""",
    ),
    Miss(
        "decoy",
        "kl_clamped",
        KL,
        """\
            kl = min(math.exp(ref - new) - (ref - new) - 1, 0.1)
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_padding_too",
        REAL_TOKENS,
        """\
            outside += abs(math.exp(new - old) - 1) > clip_eps
            count += 1
    return outside / count if count else 0.0
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_over_all_positions",
        REAL_TOKENS,
        """\
            count += 1
            if real:
                outside += abs(math.exp(new - old) - 1) > clip_eps
    return outside / count if count else 0.0
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_above_only",
        OUTSIDE,
        """\
                outside += math.exp(new - old) - 1 > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_below_only",
        OUTSIDE,
        """\
                outside += 1 - math.exp(new - old) > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_log_ratios",
        OUTSIDE,
        """\
                outside += abs(new - old) > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_quotients",
        OUTSIDE,
        """\
                outside += abs(new / old - 1) > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_inverse_ratios",
        OUTSIDE,
        """\
                outside += abs(math.exp(old - new) - 1) > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_inside",
        OUTSIDE,
        """\
                outside += abs(math.exp(new - old) - 1) <= clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_around_zero",
        OUTSIDE,
        """\
                outside += math.exp(new - old) > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_ignores_clip_eps",
        OUTSIDE,
        """\
                outside += abs(math.exp(new - old) - 1) > 0.2
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_counts_any_change",
        OUTSIDE,
        """\
                outside += new != old
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_not_divided",
        FRACTION,
        """\
    return outside
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_per_row",
        FRACTION,
        """\
    return outside / len(mask) if count else 0.0
""",
    ),
    Miss(
        "decoy",
        "log_softmax_unstable",
        LOG_TOTAL,
        """\
    log_total = math.log(sum(math.exp(x) for x in logits))
    return [x - log_total for x in logits]
""",
    ),
    Miss(
        "decoy",
        "log_softmax_without_the_maximum",
        LOG_TOTAL,
        """\
    log_total = math.log(sum(math.exp(x - top) for x in logits))
    return [x - log_total for x in logits]
""",
    ),
    Miss(
        "decoy",
        "log_softmax_returns_probabilities",
        LOG_TOTAL,
        """\
    total = sum(math.exp(x - top) for x in logits)
    return [math.exp(x - top) / total for x in logits]
""",
    ),
    Miss(
        "decoy",
        "logits_for_log_probs",
        LOG_TOTAL,
        """\
    return [x - top for x in logits]
""",
    ),
    Miss(
        "decoy",
        "padding_zeroed_in_token_logps",
        LOGPS,
        """\
    return [
        [table[row][token] if token != PAD else 0.0 for token in line]
        for row, line in zip(rows, tokens)
    ]
""",
    ),
    Miss(
        "decoy",
        "padding_dropped_in_token_logps",
        LOGPS,
        """\
    return [
        [table[row][token] for token in line if token != PAD] for row, line in zip(rows, tokens)
    ]
""",
    ),
    Miss(
        "decoy",
        "padding_very_unlikely_in_token_logps",
        LOGPS,
        """\
    return [
        [table[row][token] if token != PAD else -100.0 for token in line]
        for row, line in zip(rows, tokens)
    ]
""",
    ),
    Miss(
        "decoy",
        "probabilities_in_token_logps",
        LOGPS,
        """\
    return [[math.exp(table[row][token]) for token in line] for row, line in zip(rows, tokens)]
""",
    ),
    Miss(
        "decoy",
        "best_token_in_token_logps",
        LOGPS,
        """\
    return [[max(table[row]) for token in line] for row, line in zip(rows, tokens)]
""",
    ),
    Miss(
        "decoy",
        "token_logps_by_position",
        LOGPS,
        """\
    return [
        [table[i % len(table)][token] for token in line]
        for i, (row, line) in enumerate(zip(rows, tokens))
    ]
""",
    ),
]
