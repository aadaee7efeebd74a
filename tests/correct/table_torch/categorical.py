"""token_logps asks a Categorical; so does rollout for its probabilities."""
# ruff: noqa: F821

from itertools import chain, repeat

import torch
from torch.distributions import Categorical
from torch.nn.utils.rnn import pad_sequence


def token_logps(theta, rows, tokens):
    return Categorical(logits=theta[rows].unsqueeze(1)).log_prob(tokens)


def rollout(theta, prompts, group_size, max_len, rng):
    probs = Categorical(logits=theta.detach()).probs.tolist()
    rows = list(chain.from_iterable(repeat(prompt, group_size) for prompt in prompts))
    lines = []
    for row in rows:
        length = rng.randint(1, max_len)
        lines.append(torch.tensor(rng.choices(range(VOCAB), weights=probs[row], k=length)))
    rows, lengths = torch.tensor(rows), torch.tensor([len(line) for line in lines])
    tokens = pad_sequence(lines, batch_first=True, padding_value=PAD)
    mask = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
    rewards = ((tokens == target(rows)[:, None]) & mask).sum(dim=1) / lengths.double()
    return rows, tokens, mask.double(), rewards
