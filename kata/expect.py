"""What a kata test says when it fails: one layout for all, never the line to change."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import pytest


def show(value: Any) -> str:
    """Numbers and lists as short text, with four significant digits."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(show(item) for item in value) + "]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def close(a: Any, b: Any, tolerance: float = 1e-6) -> bool:
    """Whether two numbers, or two lists of one shape, agree; nan agrees with nothing."""
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b))
    return abs(a - b) <= tolerance * max(1.0, abs(b))


def finite(values: Sequence[float]) -> bool:
    """Whether every number is neither nan nor infinite."""
    return all(math.isfinite(value) for value in values)


def expect(ok: bool, called: str, returned: Any, expected: Any, why: str) -> None:
    """Fail unless `ok`, in at most eight lines: what was called, what came back, what was expected
    and, in one or two sentences, why it matters."""
    __tracebackhide__ = True
    if ok:
        return
    came, wanted = (part if isinstance(part, str) else show(part) for part in (returned, expected))
    lines = [called, f"  gave      {came}", f"  expected  {wanted}", textwrap.fill(why, 76)]
    pytest.fail("\n".join(lines), pytrace=False)
