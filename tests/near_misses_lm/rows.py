"""Near misses of group_layout and left_pad_positions."""

from near_misses_table import Miss

REPEAT = "    return tensor.repeat_interleave(group_size, dim=0)\n"
POSITIONS = "    positions = attention_mask.long().cumsum(dim=1) - 1\n"

MISSES = [
    Miss(
        "group_layout",
        "repeat_of_the_whole_batch",
        REPEAT,
        "    return tensor.repeat(group_size, *[1] * (tensor.ndim - 1))\n",
    ),
    Miss(
        "group_layout",
        "stacked_along_the_wrong_axis",
        REPEAT,
        "    return torch.stack([tensor] * group_size).flatten(0, 1)\n",
    ),
    Miss(
        "group_layout",
        "expanded_in_front",
        REPEAT,
        "    return tensor.expand(group_size, *tensor.shape).reshape(-1, *tensor.shape[1:])\n",
    ),
    Miss(
        "group_layout",
        "index_by_remainder",
        REPEAT,
        "    return tensor[torch.arange(len(tensor) * group_size) % len(tensor)]\n",
    ),
    Miss(
        "group_layout",
        "interleaved_along_positions",
        REPEAT,
        "    return tensor.repeat_interleave(group_size, dim=1)\n",
    ),
    Miss(
        "group_layout",
        "as_often_as_there_are_prompts",
        REPEAT,
        "    return tensor.repeat_interleave(len(tensor), dim=0)\n",
    ),
    Miss(
        "left_pad_positions",
        "arange_for_every_row",
        POSITIONS,
        "    positions = torch.arange(attention_mask.shape[1]).expand(attention_mask.shape)\n",
    ),
    Miss(
        "left_pad_positions",
        "arange_times_mask",
        POSITIONS,
        "    positions = torch.arange(attention_mask.shape[1]) * attention_mask\n",
    ),
    Miss(
        "left_pad_positions",
        "padding_behind_counted_too",
        POSITIONS,
        """\
    padding = (~attention_mask.bool()).sum(dim=1, keepdim=True)
    positions = torch.arange(attention_mask.shape[1]) - padding
""",
    ),
    Miss(
        "left_pad_positions",
        "padding_of_the_longest",
        POSITIONS,
        """\
    padding = (~attention_mask.bool()).sum(dim=1).max()
    positions = torch.arange(attention_mask.shape[1]) - padding
""",
    ),
    Miss(
        "left_pad_positions",
        "positions_of_the_first_row",
        POSITIONS,
        """\
    positions = (attention_mask[:1].long().cumsum(dim=1) - 1).expand(attention_mask.shape)
""",
    ),
    Miss(
        "left_pad_positions",
        "cumsum_over_rows",
        POSITIONS,
        "    positions = attention_mask.long().cumsum(dim=0) - 1\n",
    ),
    Miss(
        "left_pad_positions",
        "padding_subtracted_twice",
        POSITIONS,
        """\
    front = attention_mask.int().argmax(dim=1, keepdim=True)
    positions = torch.arange(attention_mask.shape[1]) - 2 * front
""",
    ),
]
