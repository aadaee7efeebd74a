"""The chosen logit minus a logsumexp, by take_along_dim."""

import torch


def log_softmax(logits):
    return logits - logits.logsumexp(dim=-1, keepdim=True)


def token_logps(theta, rows, tokens):
    logits = theta.index_select(0, rows)  # (N, V)
    return torch.take_along_dim(logits, tokens, dim=1) - logits.logsumexp(dim=1, keepdim=True)
