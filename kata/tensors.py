"""Plain lists as tensors, for the ports. The only module of the tool that imports torch."""

from typing import Any

import torch

TYPES = {"float": torch.float64, "int": torch.int64}


def tensor(value: Any, kind: str) -> torch.Tensor:
    """A nested list of numbers as a new tensor, float64 or int64."""
    return torch.tensor(value, dtype=TYPES[kind])
