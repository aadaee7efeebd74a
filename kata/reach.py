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
from functools import partial
from pathlib import Path
from typing import Any

from kata.answers import ARGUMENTS, Broken, read_answer
from kata.home import shown


class Trainer:
    """A trainer's functions, as attributes: `trainer.grpo_loss(...)`.

    kind: "plain" for a trainer on lists, "tensors" for its port, "lm" for the language-model loop,
    whose calls are those of kata/lm_calls.py. Positional arguments are those without a default,
    keywords the others. Arguments are copied on the way in: what becomes of them is not seen.
    """

    def __init__(self, path: Path, root: Path, kind: str = "plain"):
        self.path, self.name = path, shown(path, root)
        self._kind = kind
        self._module: types.ModuleType | None = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._kind == "lm":
            from kata import lm_calls

            return partial(getattr(lm_calls, name), self._invoke)
        return partial(self._call, name)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """A function of a table trainer, with its arguments and answer converted."""
        __tracebackhide__ = True
        sent = [self._send(kind, value) for kind, value in zip(ARGUMENTS[name], args, strict=True)]
        value = self._invoke(name, *sent, **kwargs)
        where = definition(getattr(self._module, name), self.name)
        return read_answer(name, value, args, kwargs, where)

    def _invoke(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call what the trainer's file calls `name`, and return just what it returns."""
        __tracebackhide__ = True
        if self._module is None:
            self._module = load(self.path, self.name)
        function = getattr(self._module, name, None)
        if not callable(function):
            raise Broken(f"{self.name} has no function {name}.")
        check_signature(function, name, args, kwargs, definition(function, self.name))
        try:
            return function(*args, **kwargs)
        except RecursionError as error:
            raise Broken(f"{name} calls itself without end{line_of(error, self.path)}.") from None
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit, and whatever else would end the run
            raise Broken(
                f"{name} raised {type(error).__name__}{line_of(error, self.path)}; "
                "a trainer must return."
            ) from None

    def _send(self, kind: str, value: Any) -> Any:
        """A plain argument as this trainer takes it; a copy, so that it can do with it what it likes."""
        if kind == "rng":
            return random.Random(value)
        if self._kind == "tensors" and kind in ("float", "int"):
            from kata.tensors import tensor

            return tensor(value, kind)
        return copy.deepcopy(value)


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
        raise Broken(f"{name}:{error.lineno or 1} does not parse, {error.msg}{line}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # NUL bytes, or nested too deeply
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
    try:
        message = " ".join(str(error).split())[:300]
    except Exception:  # its own __str__ is broken
        message = ""
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
        code = path.read_text(encoding="utf-8", errors="replace").split("\n")[line - 1].strip()
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
