"""Reaches a trainer: loads its file, calls its functions with plain numbers and lists, and takes
plain numbers and lists back.

What stops a trainer from answering is raised as `Broken`, one sentence with the learner's own line.
An exception raised by the learner's code itself is let through, so that `--pdb` lands in their line.
"""

import copy
import inspect
import random
import sys
import types
from collections.abc import Callable
from numbers import Real
from pathlib import Path
from typing import Any

import pytest

from kata.home import shown


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

METRICS = ("reward", "clip_frac")  # what every entry of the history that train returns holds


class Trainer:
    """A trainer's functions, as attributes: `trainer.grpo_loss(...)`.

    Positional arguments are those without a default, keywords the others. An `rng` is given as its
    seed. Arguments are copied on the way in, so that nothing the trainer does to them is seen.
    """

    def __init__(self, path: Path, root: Path):
        self.path, self.name = path, shown(path, root)
        self._module: types.ModuleType | None = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._call(name, args, kwargs)

    def _call(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        __tracebackhide__ = True
        if self._module is None:
            self._module = load(self.path, self.name)
        function = getattr(self._module, name, None)
        if not callable(function):
            raise Broken(f"{self.name} has no function {name}.")
        where = definition(function, self.name)
        check_signature(function, name, args, kwargs, where)
        sent = list(copy.deepcopy(args))
        if name == "rollout":
            sent[-1] = random.Random(sent[-1])
        try:
            value = function(*sent, **copy.deepcopy(kwargs))
        except RecursionError as error:
            raise Broken(f"{name} calls itself without end{line_of(error, self.path)}.") from None
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit, and whatever else would end the run
            raise Broken(
                f"{name} raised {type(error).__name__}{line_of(error, self.path)}; "
                "a trainer must return."
            ) from None
        return read_answer(name, value, args, kwargs, where)


def load(path: Path, name: str) -> types.ModuleType:
    """The learner's file as a fresh module. Raises Broken if it does not parse or import.

    Compiled from its text, so that no cached bytecode can stand in for what was just saved.
    """
    __tracebackhide__ = True
    if not path.is_file():
        raise Broken(f"{name} is missing; `python -m kata reset` puts it back.")
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except SyntaxError as error:
        line = f": `{error.text.strip()}`" if error.text and error.text.strip() else ""
        raise Broken(f"{name}:{error.lineno} does not parse, {error.msg}{line}") from None
    except ValueError as error:  # NUL bytes
        raise Broken(f"{name} does not parse, {error}.") from None
    module = types.ModuleType("trainer_under_test")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        raise Broken(f"{name} does not import: {describe(error)}{line_of(error, path)}.") from None
    return module


def describe(error: BaseException) -> str:
    """An exception as one line: its type and its message."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def line_of(error: BaseException, path: Path) -> str:
    """The deepest line of the learner's file in a traceback, as ` at line 12: \\`code\\``."""
    line, traceback = 0, error.__traceback__
    while traceback:
        if traceback.tb_frame.f_code.co_filename == str(path):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return at_line(path, line)


def at_line(path: Path, line: int) -> str:
    """A line of the learner's file for the end of a sentence; nothing if it is not known."""
    try:
        code = path.read_text(encoding="utf-8", errors="replace").splitlines()[line - 1].strip()
    except (OSError, IndexError):
        return ""
    return f" at line {line}: `{code}`" if line else ""


def definition(function: Callable, name: str) -> str:
    """Where a function is defined, as `file:line`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{name}:{code.co_firstlineno}" if code else name


def check_signature(function: Callable, name: str, args: tuple, kwargs: dict, where: str) -> None:
    """Raise Broken unless `function` can be called like this."""
    __tracebackhide__ = True
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise Broken(
            f"{where}: {name}{signature} cannot be called as the kata does, {error}; "
            "keep the published parameters."
        ) from None


def read_answer(name: str, value: Any, args: tuple, kwargs: dict, where: str) -> Any:
    """What a function returned as plain numbers and lists. Raises Broken if it is of another kind
    or shape than the function returns."""
    __tracebackhide__ = True
    if name == "train":
        return read_run(value, where)
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


def read_run(value: Any, where: str) -> tuple[list, list[dict[str, float]]]:
    """What `train` returned: theta, and a history of dicts of numbers."""
    __tracebackhide__ = True
    parts = plain_sequence(value)
    if parts is None or len(parts) != 2:
        raise Broken(
            f"{where}: train returned {kind(value)} where theta and history were expected."
        )
    theta = read_array(parts[0], (None, None), f"{where}: train returned, for theta,")
    history = plain_sequence(parts[1])
    if history is None or not all(isinstance(entry, dict) for entry in history):
        raise Broken(f"{where}: the history that train returned is not a list of dicts.")
    for step, entry in enumerate(history):
        for key in METRICS:
            if key not in entry:
                raise Broken(f"{where}: history[{step}], returned by train, has no {key!r}.")
    said = f"{where}: train returned, in its history,"
    return theta, [{key: read_array(entry[key], (), said) for key in METRICS} for entry in history]


def read_array(value: Any, shape: Shape, said: str) -> Any:
    """`value` as numbers in nested lists of this shape (None: any length)."""
    __tracebackhide__ = True
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
