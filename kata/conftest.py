"""Fixtures and options of the kata tests: which trainer, whose code, which drawn inputs."""

import random
from pathlib import Path

import pytest

from kata.errors import KataError
from kata.home import find_root, kind, locate, track
from kata.reach import Trainer

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kata")
    group.addoption("--trainer", help="table (default in kata/table), or a port of it")
    group.addoption("--against", default="buggy", help="whose code: buggy (default), fixed, a path")
    group.addoption("--case-seed", type=int, default=0, help="seed of the inputs that are drawn")


def pytest_configure(config: pytest.Config) -> None:
    against = config.getoption("--against")
    if trainer := config.getoption("--trainer"):
        reach(trainer, config)
    elif against not in ("buggy", "fixed") and not Path(against).exists():
        raise pytest.UsageError(f"--against {against}: there is no such file or folder.")


def reach(trainer: str, config: pytest.Config) -> Trainer:
    root = find_root()
    try:
        path = locate(root, trainer, config.getoption("--against"))
        return Trainer(path, root, kind(trainer))
    except KataError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tracks that `--trainer` does not belong to."""
    trainer = config.getoption("--trainer")
    if trainer and collection_path.is_dir() and collection_path.parent == HERE:
        return collection_path.name != track(trainer) or None
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:  # a warning from the learner's code is not a failure
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture
def trainer(request: pytest.FixtureRequest) -> Trainer:
    """The code under test, loaded afresh for every test."""
    name = request.config.getoption("--trainer") or request.path.parent.name
    return reach(name, request.config)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Draws inputs; the same for the same `--case-seed` and test."""
    return random.Random(f"{request.config.getoption('--case-seed')} {request.node.name}")
