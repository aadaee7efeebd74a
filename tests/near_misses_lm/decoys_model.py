"""Changes to what was never wrong in the model, the padding and the scoring."""

from near_misses_table import Miss

PADDED = "    tokens = torch.tensor([[PAD] * (width - len(p)) + list(p) for p in prompts])\n"
PAD_MASK = "    return tokens, torch.arange(width) >= width - lengths[:, None]\n"
CLAMPED = "    return positions.clamp(min=0)\n"
CHOSEN = """\
    chosen = logps.gather(-1, tokens[:, -completion_width:, None]).squeeze(-1)  # (N, T)
"""
LOGITS = "    logits = policy_logits(policy, tokens, attention_mask)  # (N, L, V)\n"
RETURNED = """\
    return (chosen, torch.special.entr(logps.detach().exp()).sum(dim=-1)) if entropy else chosen
"""
LINES_OF_PROMPT_CUT_TO_THE_SHORTEST = "    width = max(map(len, prompts))\n"

MISSES = [
    Miss(
        "decoy",
        "padded_right",
        PADDED,
        "    tokens = torch.tensor([list(p) + [PAD] * (width - len(p)) for p in prompts])\n",
    ),
    Miss(
        "decoy",
        "mask_of_right_padding",
        PAD_MASK,
        "    return tokens, torch.arange(width) < lengths[:, None]\n",
    ),
    Miss(
        "decoy",
        "mask_of_padding",
        PAD_MASK,
        "    return tokens, torch.arange(width) < width - lengths[:, None]\n",
    ),
    Miss(
        "decoy",
        "mask_of_ones",
        PAD_MASK,
        "    return tokens, torch.ones_like(tokens, dtype=torch.bool)\n",
    ),
    Miss(
        "decoy",
        "prompt_reversed",
        PADDED,
        "    tokens = torch.tensor([[PAD] * (width - len(p)) + list(p)[::-1] for p in prompts])\n",
    ),
    Miss(
        "decoy",
        "prompt_cut_to_the_shortest",
        LINES_OF_PROMPT_CUT_TO_THE_SHORTEST,
        """\
    width = max(map(len, prompts))
    prompts = [list(p)[-min(map(len, prompts)) :] for p in prompts]
""",
    ),
    Miss(
        "left_pad_positions",
        "first_position_is_one",
        CLAMPED,
        "    return positions.clamp(min=0) + 1\n",
    ),
    Miss("left_pad_positions", "negative_positions", CLAMPED, "    return positions\n"),
    Miss(
        "decoy",
        "batch_of_one_squeezed",
        CHOSEN,
        "    chosen = logps.gather(-1, tokens[:, -completion_width:, None]).squeeze()\n",
    ),
    Miss(
        "decoy",
        "policy_scored_without_gradient",
        LOGITS,
        "    logits = policy_logits(policy, tokens, attention_mask).detach()\n",
    ),
    Miss(
        "decoy",
        "entropy_in_bits",
        RETURNED,
        """\
    entropies = torch.special.entr(logps.detach().exp()).sum(dim=-1) / math.log(2)
    return (chosen, entropies) if entropy else chosen
""",
    ),
    Miss(
        "decoy",
        "entropy_negative",
        RETURNED,
        """\
    entropies = -torch.special.entr(logps.detach().exp()).sum(dim=-1)
    return (chosen, entropies) if entropy else chosen
""",
    ),
]
