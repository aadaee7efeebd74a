"""torch.log_softmax, one step of fancy indexing."""

import torch


def log_softmax(logits):
    return torch.log_softmax(logits, dim=-1)


def token_logps(theta, rows, tokens):
    return torch.log_softmax(theta, dim=-1)[rows[:, None], tokens]
