"""Near misses of eos_in_mask and mask_from_ids."""

from near_misses_table import Miss

LENGTHS = "    lengths = stops + 1\n"
INSIDE = "    return torch.arange(width, device=completions.device) < lengths[:, None]\n"
OF_DRAWN = "    mask = completion_mask(drawn)\n"
IS_EOS = "    is_eos = completions == EOS\n"

MISSES = [
    Miss("eos_in_mask", "cumsum_is_zero", INSIDE, "    return is_eos.cumsum(dim=1) == 0\n"),
    Miss("eos_in_mask", "cumsum_at_most_one", INSIDE, "    return is_eos.cumsum(dim=1) <= 1\n"),
    Miss("eos_in_mask", "one_past_eos", LENGTHS, "    lengths = stops + 2\n"),
    Miss(
        "eos_in_mask",
        "shifted_the_other_way",
        INSIDE,
        """\
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return F.pad(inside[:, :-1], (1, 0), value=False)
""",
    ),
    Miss(
        "eos_in_mask",
        "shifted_out_of_the_front",
        INSIDE,
        """\
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return F.pad(inside[:, 1:], (0, 1), value=False)
""",
    ),
    Miss("eos_in_mask", "counted_only_where_first", LENGTHS, "    lengths = stops.clamp(min=1)\n"),
    Miss(
        "eos_in_mask",
        "taken_out_by_id",
        INSIDE,
        """\
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return inside & ~is_eos
""",
    ),
    Miss(
        "eos_in_mask",
        "taken_out_while_sampling",
        OF_DRAWN,
        "    mask = completion_mask(drawn) & (drawn != EOS)\n",
    ),
    Miss("eos_in_mask", "everything_is_real", INSIDE, "    return torch.ones_like(is_eos)\n"),
    Miss("mask_from_ids", "not_pad_and_nothing_else", INSIDE, "    return completions != PAD\n"),
    Miss(
        "mask_from_ids",
        "length_is_the_count_of_not_pad",
        LENGTHS,
        "    lengths = (completions != PAD).sum(dim=1)\n",
    ),
    Miss(
        "mask_from_ids",
        "pad_ends_a_row_too",
        IS_EOS,
        "    is_eos = (completions == EOS) | (completions == PAD)\n",
    ),
    Miss(
        "mask_from_ids",
        "pads_at_the_end_are_padding",
        INSIDE,
        """\
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return inside & ((completions != PAD).int().flip(1).cumsum(dim=1).flip(1) > 0)
""",
    ),
    Miss(
        "mask_from_ids",
        "multiplied_by_not_pad",
        INSIDE,
        """\
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return (inside.int() * (completions - PAD).abs().clamp(max=1)).bool()
""",
    ),
    Miss(
        "mask_from_ids",
        "pads_out_while_sampling",
        OF_DRAWN,
        "    mask = completion_mask(drawn) & (drawn != PAD)\n",
    ),
]
