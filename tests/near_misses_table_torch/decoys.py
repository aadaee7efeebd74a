"""Changes to what was never wrong in log_softmax, token_logps, the loss and the metric."""

from near_misses_table import Miss

TOP = """\
    top, index = logits.max(dim=-1, keepdim=True)
"""

STABLE = """\
    top, index = logits.max(dim=-1, keepdim=True)
    shifted = logits - top
    rest = shifted.exp().scatter(-1, index, 0.0).sum(dim=-1, keepdim=True)
    return shifted - torch.log1p(rest)
"""

SHIFTED = """\
    shifted = logits - top
"""

REST = """\
    rest = shifted.exp().scatter(-1, index, 0.0).sum(dim=-1, keepdim=True)
"""

GATHER = """\
    return table[rows].gather(1, tokens)
"""

CENTRED = """\
    advantages = (groups - mean) / (std + eps)
"""

CLIPPED = """\
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
"""

KL = """\
    kl = torch.exp(ref - new) - (ref - new) - 1
"""

OUTSIDE = """\
    outside = (ratio - 1).abs() > clip_eps
"""

FRACTION = """\
    return outside.double().sum() / max(len(outside), 1)
"""

CLIP = """\
    ratio = torch.exp(new_logps[real] - old_logps[real])
    outside = (ratio - 1).abs() > clip_eps
    return outside.double().sum() / max(len(outside), 1)
"""

MISSES = [
    # Underflows to -inf.
    Miss(
        "decoy",
        "log_of_softmax",
        STABLE,
        """\
    return torch.softmax(logits, dim=-1).log()
""",
    ),
    Miss(
        "decoy",
        "log_of_softmax_clamped",
        STABLE,
        """\
    return torch.softmax(logits, dim=-1).clamp(min=1e-8).log()
""",
    ),
    Miss(
        "decoy",
        "log_softmax_along_the_prompts",
        STABLE,
        """\
    return torch.log_softmax(logits, dim=0)
""",
    ),
    Miss(
        "decoy",
        "one_maximum_for_all_rows",
        TOP,
        """\
    index = logits.argmax(dim=-1, keepdim=True)
    top = logits.max()
""",
    ),
    Miss(
        "decoy",
        "maximum_left_in_the_sum",
        REST,
        """\
    rest = shifted.exp().sum(dim=-1, keepdim=True)
""",
    ),
    Miss(
        "decoy",
        "logits_shifted_in_place",
        SHIFTED,
        """\
    shifted = logits.sub_(top)
""",
    ),
    Miss(
        "decoy",
        "gathered_along_the_rows",
        GATHER,
        """\
    return table[rows].gather(0, tokens)
""",
    ),
    Miss(
        "decoy",
        "first_row_for_all",
        GATHER,
        """\
    return table[0][tokens]
""",
    ),
    Miss(
        "decoy",
        "table_tiled_over_the_rows",
        GATHER,
        """\
    return table.repeat(len(rows), 1)[: len(rows)].gather(1, tokens)
""",
    ),
    Miss(
        "decoy",
        "logits_gathered",
        GATHER,
        """\
    return theta[rows].gather(1, tokens)
""",
    ),
    Miss(
        "decoy",
        "probabilities_gathered",
        GATHER,
        """\
    return table[rows].gather(1, tokens).exp()
""",
    ),
    Miss(
        "decoy",
        "padding_zeroed",
        GATHER,
        """\
    return table[rows].gather(1, tokens) * (tokens != PAD)
""",
    ),
    # double() and reshape() of a float64 tensor are the caller's own memory.
    Miss(
        "decoy",
        "rewards_centred_in_place",
        CENTRED,
        """\
    advantages = groups.sub_(mean) / (std + eps)
""",
    ),
    # minimum halves the gradient between equals: half of it is lost inside the range.
    Miss(
        "decoy",
        "clip_detached",
        CLIPPED,
        """\
    clipped = ratio.detach().clamp(1 - clip_eps, 1 + clip_eps)
""",
    ),
    Miss(
        "decoy",
        "kl_detached",
        KL,
        """\
    kl = torch.exp(ref - new.detach()) - (ref - new.detach()) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_half_detached",
        KL,
        """\
    kl = torch.exp(ref - new.detach()) - (ref - new) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_turned_round",
        KL,
        """\
    kl = torch.exp(new - ref) - (new - ref) - 1
""",
    ),
    Miss(
        "decoy",
        "kl_k2",
        KL,
        """\
    kl = (ref - new).square() / 2
""",
    ),
    Miss(
        "decoy",
        "kl_by_kl_div",
        KL,
        """\
    kl = torch.nn.functional.kl_div(new, ref, reduction="none", log_target=True)
""",
    ),
    Miss(
        "decoy",
        "kl_of_a_single_number",
        KL,
        """\
    kl = (torch.exp(ref - new) - (ref - new) - 1).max()
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_padding_too",
        CLIP,
        """\
    ratio = torch.exp(new_logps - old_logps)
    return ((ratio - 1).abs() > clip_eps).double().mean()
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_over_all_positions",
        FRACTION,
        """\
    return outside.double().sum() / max(mask.numel(), 1)
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_in_whole_numbers",
        FRACTION,
        """\
    return outside.sum() // max(len(outside), 1)
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_rows",
        CLIP,
        """\
    outside = ((torch.exp(new_logps - old_logps) - 1).abs() > clip_eps) & real
    return outside.any(dim=1).double().mean()
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_mean_of_rows",
        CLIP,
        """\
    outside = ((torch.exp(new_logps - old_logps) - 1).abs() > clip_eps) & real
    return (outside.sum(dim=1) / real.sum(dim=1).clamp(min=1)).double().mean()
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_above_only",
        OUTSIDE,
        """\
    outside = ratio - 1 > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_log_ratios",
        OUTSIDE,
        """\
    outside = ratio.log().abs() > clip_eps
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_by_isclose",
        OUTSIDE,
        """\
    outside = ~torch.isclose(ratio, torch.ones_like(ratio), atol=clip_eps, rtol=clip_eps)
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_is_any",
        FRACTION,
        """\
    return outside.any().double()
""",
    ),
]
