"""Outside tokens are counted over all, since the ratio is 1 on padding, and divided by the real."""
# ruff: noqa: F821


def clip_fraction(new, old, mask, clip_eps=0.2):
    mask = mask.bool()
    ratio = token_ratio(new, old, mask)
    outside = torch.count_nonzero((ratio - 1).abs() > clip_eps).item()
    return outside / max(torch.count_nonzero(mask).item(), 1)
