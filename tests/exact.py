"""Expectations by summing over everything that can be sampled, for the claims of docs/math.md.

The worked example of the page: one prompt, four tokens, answers of one token. Everything is
float64. `says` holds a claim's numbers against the passage of the page that makes the claim.
"""

import itertools
import math
import re
import types
from functools import cache

import judge
import torch

PAGE = judge.ROOT / "docs" / "math.md"
PI = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
OLD = torch.tensor([0.3, 0.3, 0.2, 0.2], dtype=torch.float64)
REF = torch.tensor([0.1, 0.3, 0.4, 0.2], dtype=torch.float64)
REWARDS = torch.tensor([1.0, 0.0, 0.5, 0.0], dtype=torch.float64)


def near(value, expected, tolerance=1e-9):
    """Equal up to rounding; lists, numbers and tensors."""
    value, expected = (torch.as_tensor(x, dtype=torch.float64) for x in (value, expected))
    return value.shape == expected.shape and bool((value - expected).abs().max() <= tolerance)


def cosine(one, other):
    return (one @ other / one.norm() / other.norm()).item()


def column(values):
    """(N,) -> (N, 1): rows of one token."""
    return torch.as_tensor(values, dtype=torch.float64)[:, None]


def full_mask(array):
    return torch.ones_like(array, dtype=torch.bool)


def gradient(f, probs=PI):
    """Gradient of f(log-probs) in the logits at softmax(logits) = probs."""
    theta = probs.log().requires_grad_()
    return torch.autograd.grad(f(theta.log_softmax(-1)), theta)[0]


def expected_gradient(loss, size=1, probs=PI, sampler=None):
    """Mean over all groups of `size` sampled tokens of the gradient of loss(new, group).

    new (size, 1) carries the gradient; how likely a group is does not. The sampler is the policy
    itself unless another one is given.
    """
    drawn = probs if sampler is None else sampler

    def total(logps):
        groups = [list(g) for g in itertools.product(range(len(probs)), repeat=size)]
        return sum(drawn[g].prod() * loss(logps[g][:, None], g) for g in groups)

    return gradient(total, probs)


def slope(f, x):
    """df/dx of a function that takes and returns a tensor of one number."""
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(f(x), x)[0].item()


def kl(one, other):
    return (one * (one / other).log()).sum()


def answers(limit=3):
    """What can be sampled of {0: go on, 1: stop} within `limit` tokens."""
    ended = [[0] * n + [1] for n in range(limit)]
    return [*ended, [0] * limit]


@cache
def table_with(*numbers):
    """The table trainer with just these bugs planted, as a module."""
    chosen = [bug for bug in judge.bugs("table") if bug.number in numbers]
    assert len(chosen) == len(numbers)
    module = types.ModuleType("planted")
    exec(judge.planted("table", chosen), module.__dict__)
    return module


def claims(text):
    return re.findall(r"`\[claim: ([a-z0-9-]+)\]`", text)


def passages(text):
    """Paragraphs, list items and table rows."""
    return re.split(r"\n\s*\n|\n(?=\||- |\d+\. )", text)


def says(claim, *numbers):
    """Fail unless the page shows these numbers, formatted texts, where it makes the claim."""
    text = PAGE.read_text(encoding="utf-8")
    found = " ".join(p for p in passages(text) if claim in claims(p)).replace("−", "-")
    assert found, f"no passage of docs/math.md makes the claim {claim}"
    for number in map(str, numbers):
        # A minus in front matters only if the number has one to show.
        pattern = rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)"
        assert re.search(pattern, found), f"docs/math.md, {claim}: {number} is not there"


def shown(value, digits):
    """A number as the page writes it; sqrt(2) to three digits is 1.41."""
    value = float(value)
    places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(places, 0)}f}"
