"""Positions are those of an arange, less the padding in front."""
# ruff: noqa: F821


def position_ids(attention_mask):
    front = attention_mask.int().argmax(dim=1, keepdim=True)
    return (torch.arange(attention_mask.shape[1]) - front).clamp(min=0)
