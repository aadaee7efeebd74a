"""Positions as transformers computes them: cumsum - 1, and 1 on padding."""


def position_ids(attention_mask):
    positions = attention_mask.long().cumsum(-1) - 1
    return positions.masked_fill(attention_mask == 0, 1)
