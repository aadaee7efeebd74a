"""The mask is written row by row, in plain Python."""
# ruff: noqa: F821


def completion_mask(completions):
    mask = torch.zeros(completions.shape, dtype=torch.bool)
    for i, row in enumerate(completions.tolist()):
        mask[i, : row.index(EOS) + 1 if EOS in row else len(row)] = True
    return mask
