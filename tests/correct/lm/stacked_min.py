"""The two surrogates are stacked, and the smaller is taken by amin."""
# ruff: noqa: F821


def clipped_surrogate(ratio, advantages, clip_eps):
    both = torch.stack([ratio, ratio.clamp(1 - clip_eps, 1 + clip_eps)])
    return torch.einsum("knt,n->knt", both, advantages).min(dim=0).values
