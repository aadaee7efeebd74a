"""A pytest plugin: writes what happens to a file, one JSON object a line, and ends a test that
takes too long. The tool reads the file; it never reads what the tests print."""

import faulthandler
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kata.answers import Broken
from kata.home import find_root, kind, locate, shown
from kata.reach import describe, line_of, load


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kata")
    group.addoption("--kata-events", required=True, help="file for the events")
    group.addoption("--kata-stacks", required=True, help="file for the stack of a test that hangs")
    group.addoption("--kata-limit", type=float, required=True, help="seconds that a test may take")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Events(config), "kata-events")


class Events:
    """Writes `collected`, then `start` and `loaded` for the trainer, then `start` and `result` for
    every test."""

    def __init__(self, config: pytest.Config):
        self.limit = config.getoption("--kata-limit")
        self.out = open(config.getoption("--kata-events"), "a", encoding="utf-8", buffering=1)
        self.stacks = open(config.getoption("--kata-stacks"), "a", encoding="utf-8")

    def write(self, **event: object) -> None:
        self.out.write(json.dumps(event) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Name the tests, and load the trainer once: what ends the process here ends all tests."""
        self.write(event="collected", tests=[item.nodeid for item in session.items])
        if kind(session.config.getoption("--trainer")) != "plain":
            import torch  # noqa: F401  its import is slow, and not the trainer's fault
        self.write(event="start", test="")
        with self.time_limit():
            try:
                load(*subject(session.config))
            except Broken:
                pass  # every test will say so
        self.write(event="loaded")

    @contextmanager
    def time_limit(self) -> Generator[None]:
        """End the process, leaving its stack, if this takes too long."""
        faulthandler.dump_traceback_later(self.limit, exit=True, file=self.stacks)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.write(event="start", test=item.nodeid)
        with self.time_limit():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" or not report.passed:
            outcome, message = judge(item, call.excinfo and call.excinfo.value)
            self.write(event="result", test=item.nodeid, outcome=outcome, message=message)
        return report

    def pytest_sessionfinish(self) -> None:
        self.write(event="finished")

    def pytest_unconfigure(self) -> None:
        self.out.close()
        self.stacks.close()


def subject(config: pytest.Config) -> tuple[Path, str]:
    """The file under test, and its name for a person."""
    root = find_root()
    path = locate(root, config.getoption("--trainer"), config.getoption("--against"))
    return path, shown(path, root)


def judge(item: pytest.Item, error: BaseException | None) -> tuple[str, str]:
    """The outcome of a test and its message: passed, failed (a wrong value) or broken (none)."""
    if error is None:
        return "passed", ""
    if isinstance(error, Broken):
        return "broken", str(error)
    if isinstance(error, pytest.fail.Exception):
        return "failed", str(error)
    trainer = item.funcargs["trainer"]
    where = line_of(error, trainer.path)
    outcome = "failed" if isinstance(error, ArithmeticError) else "broken"
    return outcome, f"{trainer.name} raised {describe(error)}{where}."
