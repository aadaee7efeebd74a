"""What a trainer is called with and what it returns: plain numbers and lists on this side, whatever
the trainer itself works on. What is of another kind or shape is `Broken`."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import pytest


class Broken(pytest.fail.Exception):
    """The trainer could not answer: a sentence for the learner, without a traceback."""

    def __init__(self, sentence: str):
        super().__init__(sentence, pytrace=False)


Shape = tuple[int | None, ...]


def rollout_shapes(theta, prompts, group_size, max_len, rng) -> dict[str, Shape]:
    count = len(prompts) * group_size
    return {"rows": (count,), "tokens": (count, None), "mask": (count, None), "rewards": (count,)}


# What each function returns, from what it is called with: the shape of one array, or of several.
RETURNS: dict[str, Callable[..., Shape | dict[str, Shape]]] = {
    "log_softmax": lambda logits: (len(logits),),
    "token_logps": lambda theta, rows, tokens: (len(tokens), len(tokens[0])),
    "group_advantages": lambda rewards, group_size, **_: (len(rewards),),
    "grpo_loss": lambda *_, **__: (),
    "clip_fraction": lambda *_, **__: (),
    "rollout": rollout_shapes,
}

# What each function is called with, position by position: "float" and "int" are arrays, which a
# port on tensors gets as tensors; an "rng" is given as its seed; "plain" is passed as it is.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "log_softmax": ("float",),
    "token_logps": ("float", "int", "int"),
    "group_advantages": ("float", "plain"),
    "grpo_loss": ("float",) * 5,
    "clip_fraction": ("float",) * 3,
    "rollout": ("float", "plain", "plain", "plain", "rng"),
    "train": (),
}

METRICS = ("reward", "clip_frac")  # what every entry of the history that train returns holds


def read_answer(name: str, value: Any, args: tuple, kwargs: dict, where: str) -> Any:
    """What a function returned as plain numbers and lists. Raises Broken if it is of another kind
    or shape than the function returns."""
    __tracebackhide__ = True
    if name == "train":
        theta, history = read_run(value, where)
        for said, found, wanted in (
            ("rows in theta", len(theta), len(kwargs.get("prompts", theta))),
            ("entries in its history", len(history), kwargs.get("steps", len(history))),
        ):
            if found != wanted:
                raise Broken(
                    f"{where}: train returned {found} {said} where {wanted} were expected."
                )
        return theta, history
    shape = RETURNS[name](*args, **kwargs)
    if not isinstance(shape, dict):
        return read_array(value, shape, f"{where}: {name} returned")
    parts = plain_sequence(value)
    if parts is None or len(parts) != len(shape):
        raise Broken(
            f"{where}: {name} returned {kind(value)} where {len(shape)} values were expected, "
            f"{', '.join(shape)}."
        )
    return [
        read_array(part, wanted, f"{where}: {name} returned, for {part_name},")
        for part, (part_name, wanted) in zip(parts, shape.items())
    ]


def read_run(value: Any, where: str, policy: bool = False) -> tuple[list, list[dict[str, float]]]:
    """What `train` returned: theta, or a policy which is not read, and a history."""
    __tracebackhide__ = True
    parts = plain_sequence(value)
    if parts is None or len(parts) != 2:
        raise Broken(
            f"{where}: train returned {kind(value)} where {'a policy' if policy else 'theta'} and a "
            "history were expected."
        )
    theta = (
        [] if policy else read_array(parts[0], (None, None), f"{where}: train returned, for theta,")
    )
    return theta, read_history(parts[1], where)


def read_history(value: Any, where: str) -> list[dict[str, float]]:
    """The history that `train` returned: a dict of numbers for every step; what is no number in it
    is left out, unless it is one of METRICS."""
    __tracebackhide__ = True
    history = plain_sequence(value)
    if history is None or not all(isinstance(entry, dict) for entry in history):
        raise Broken(f"{where}: the history that train returned is not a list of dicts.")
    found = []
    for step, entry in enumerate(history):
        found.append(numbers(entry))
        for key in METRICS:
            if key not in found[-1]:
                raise Broken(f"{where}: history[{step}], returned by train, has no number {key!r}.")
    return found


def numbers(entry: dict[Any, Any]) -> dict[str, float]:
    """The metrics in a dict: what is a number in it."""
    found = {str(key): plain_number(value) for key, value in entry.items()}
    return {key: number for key, number in found.items() if number is not None}


def read_array(value: Any, shape: Shape, said: str) -> Any:
    """`value` as numbers in nested lists of this shape (None: any length)."""
    __tracebackhide__ = True
    for _ in range(getattr(value, "ndim", 0) - len(shape) if shape else 0):
        value = value[..., 0] if value.shape[-1] == 1 else value  # (N, 1) where (N,) is meant
    if not shape:
        number = plain_number(value)
        if number is None:
            raise Broken(f"{said} {kind(value)} where a number was expected.")
        return number
    items = plain_sequence(value)
    if items is None:
        raise Broken(f"{said} {kind(value)} where {expected(shape)} expected.")
    if shape[0] is not None and len(items) != shape[0]:
        raise Broken(f"{said} {len(items)} values where {expected(shape)} expected.")
    return [read_array(item, shape[1:], said) for item in items]


def plain_number(value: Any) -> int | float | None:
    """A number of whatever kind (bool, numpy, torch, Fraction) as a plain one; None if none."""
    if hasattr(value, "tolist"):
        value = value.tolist()
        while isinstance(value, list) and len(value) == 1:  # an array of one element is a number
            value = value[0]
    if isinstance(value, bool):
        return int(value)
    if type(value) in (int, float):
        return value
    return float(value) if isinstance(value, Real) else None


def plain_sequence(value: Any) -> list | None:
    """A list, tuple, range or array as a list; None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, (list, tuple, range)) else None


def kind(value: Any) -> str:
    """What sort of thing was returned, for a sentence."""
    return "None" if value is None else f"a {type(value).__name__}"


def expected(shape: Shape) -> str:
    """A shape for a sentence, with its verb."""
    if len(shape) == 1:
        return f"a list of {shape[0]} numbers was" if shape[0] else "a list of numbers was"
    return f"{shape[0]} rows of numbers were" if shape[0] else "rows of numbers were"
