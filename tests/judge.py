"""Runs the kata tests in this process on a trainer given as text, for the proofs."""

import importlib
import inspect
import random
import types
from functools import cache
from pathlib import Path

import pytest

from kata.home import kind, track
from kata.pages import Bug, read_track
from kata.plant import plant, read_fixed
from kata.reach import Trainer

ROOT = Path(__file__).resolve().parents[1]


class TextTrainer(Trainer):
    """A trainer whose file is a text, executed afresh."""

    def __init__(self, code: types.CodeType, trainer: str = "table"):
        super().__init__(Path(code.co_filename), ROOT, kind(trainer))
        self._module = types.ModuleType("trainer_under_test")
        exec(code, self._module.__dict__)


@cache
def bugs(trainer: str) -> list[Bug]:
    return read_track(ROOT / "kata" / track(trainer), ROOT)


@cache
def fixed(trainer: str) -> str:
    return read_fixed(ROOT, f"{trainer}.py", [])


def planted(trainer: str, chosen: list[Bug]) -> str:
    return plant(fixed(trainer), chosen, f"{trainer}.py")


@cache
def kata_tests(trainer: str) -> dict[str, list]:
    """The test functions of a track, by the name of their bug, or "decoys"."""
    names = {bug.test.stem: bug.name for bug in bugs(trainer)}
    found = {}
    for path in sorted((ROOT / "kata" / track(trainer)).glob("test_*.py")):
        module = importlib.import_module(f"kata.{track(trainer)}.{path.stem}")
        functions = [f for name, f in vars(module).items() if name.startswith("test_")]
        found[names.get(path.stem, path.stem.removeprefix("test_"))] = functions
    return found


@cache
def messages(text: str, trainer: str = "table", case_seed: int = 0) -> dict[str, list[str]]:
    """What the red tests say of a trainer, by the name of their bug, or "decoys"."""
    code = compile(text, "trainer_under_test.py", "exec")
    red: dict[str, list[str]] = {}
    for name, functions in kata_tests(trainer).items():
        for function in functions:
            given = {
                "trainer": TextTrainer(code, trainer),
                "rng": random.Random(f"{case_seed} {function.__name__}"),
            }
            wanted = inspect.signature(function).parameters
            try:
                function(**{key: given[key] for key in wanted})
            except pytest.fail.Exception as failure:
                red.setdefault(name, []).append(str(failure))
            except Exception as error:
                red.setdefault(name, []).append(f"{type(error).__name__}: {error}")
    return red


def red(text: str, trainer: str = "table", case_seed: int = 0) -> set[str]:
    """The names of the bugs whose test fails, and "decoys"."""
    return set(messages(text, trainer, case_seed))
