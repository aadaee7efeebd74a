"""The tokens as one-hot vectors, and an einsum over the vocabulary."""
# ruff: noqa: F821

import torch
import torch.nn.functional as F


def token_logps(theta, rows, tokens):
    logps = F.log_softmax(F.embedding(rows, theta), dim=-1)
    return torch.einsum("ntv,nv->nt", F.one_hot(tokens, VOCAB).to(logps.dtype), logps)
