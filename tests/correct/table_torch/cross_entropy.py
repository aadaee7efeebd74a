"""token_logps is minus a cross entropy without reduction."""

import torch.nn.functional as F


def token_logps(theta, rows, tokens):
    logits = theta[rows].unsqueeze(-1).expand(-1, -1, tokens.shape[1])  # (N, V, T)
    return -F.cross_entropy(logits, tokens, reduction="none")
