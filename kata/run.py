"""Runs the kata tests in a process of their own, so that the tool comes back whatever a trainer
does: a test that takes too long or ends the process is named, and the others still run."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kata.errors import KataError
from kata.home import shown, track
from kata.pages import Bug
from kata.processes import end, start
from kata.reach import at_line

TEST_LIMIT = 5.0  # seconds for one test; they take milliseconds
HURRY = 1.5  # the same for the tests after one that did not come back
RUN_LIMIT = 120.0  # seconds without any news before the run is given up


@dataclass(frozen=True)
class Result:
    """What came of one test: passed, failed (a wrong value) or broken (no value)."""

    test: str  # pytest's node id
    bug: Bug | None  # None: a guard of what was never wrong
    outcome: str
    message: str

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def id(self) -> str:
        """`3_log_ratio`, or `decoys::test_...` for a guard."""
        file, _, function = self.test.partition("::")
        return self.bug.id if self.bug else f"{Path(file).stem.removeprefix('test_')}::{function}"


@dataclass(frozen=True)
class Run:
    """One run of pytest: its tests, their outcomes, and how the process ended."""

    tests: list[str]
    results: dict[str, tuple[str, str]]
    started: str | None  # the test that was begun last; "" is loading the trainer
    code: int | None  # None: it was given up
    stacks: str
    output: str

    @property
    def unfinished(self) -> list[str]:
        """The tests that the end of the process leaves without an outcome: the one that was
        running, or all of them if it was the trainer's loading that ended it."""
        if self.started == "":
            return self.tests
        return [self.started] if self.started and self.started not in self.results else []


def run_tests(
    root: Path, bugs: list[Bug], trainer: str, subject: Path, chosen: list[Bug] | None = None
) -> list[Result]:
    """Run the tests of `chosen` bugs (default: all of the track, and its guard), in page order.

    Raises KataError if the tests cannot be run at all.
    """
    files = [bug.test for bug in chosen or bugs]
    if chosen is None:
        folder = root / "kata" / track(trainer)
        files += [path for path in sorted(folder.glob("test_*.py")) if path not in files]
    names = [str(path.relative_to(root)) for path in files]
    outcomes: dict[str, tuple[str, str]] = {}
    tests: list[str] = []
    limit = TEST_LIMIT
    while not tests or len(outcomes) < len(tests):
        run = run_once(root, names, trainer, subject, skip=list(outcomes), limit=limit)
        if not run.tests:
            raise KataError("The kata tests could not be run.\n" + run.output.strip())
        tests = tests or run.tests
        outcomes |= run.results
        ended = run.unfinished or [test for test in run.tests if test not in outcomes]
        outcomes |= dict.fromkeys(
            ended, ("broken", how_it_ended(run, subject, shown(subject, root)))
        )
        limit = HURRY if run.stacks else limit
    by_test = {str(bug.test.relative_to(root)): bug for bug in bugs}
    return [Result(test, by_test.get(test.partition("::")[0]), *outcomes[test]) for test in tests]


def run_once(
    root: Path, names: list[str], trainer: str, subject: Path, skip: list[str], limit: float
) -> Run:
    """One pytest process over the files `names`, without the tests in `skip`."""
    twins = [side for side in ("buggy", "fixed") if subject == root / side / f"{trainer}.py"]
    against = twins[0] if twins else str(subject)
    with tempfile.TemporaryDirectory(prefix="kata-") as scratch:
        events, stacks = Path(scratch, "events"), Path(scratch, "stacks")
        command = [
            *(sys.executable, "-B", "-m", "pytest", "-q", "--tb=no"),
            *("-c", str(root / "pyproject.toml"), "--rootdir", str(root)),
            *("-p", "kata.events", "-p", "no:cacheprovider", "-p", "no:faulthandler"),
            *("--kata-events", str(events), "--kata-stacks", str(stacks)),
            *("--kata-limit", str(limit), "--trainer", trainer, "--against", against),
            *(f"--deselect={test}" for test in skip),
            *names,
        ]
        with open(Path(scratch, "output"), "w+", encoding="utf-8", errors="replace") as output:
            code = wait(command, root, output, events)
            output.seek(0)
            said = output.read()[-2000:]
        return read_run(events, stacks, code, said)


def wait(command: list[str], root: Path, output: IO[str], events: Path) -> int | None:
    """Run a command until all tests have an outcome or it ends, whichever comes first.

    Returns its exit code; None if it was given up because no event came for too long.
    """
    dropped = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONOPTIMIZE")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    process = start(command, cwd=root, env=environment, stdout=output, stderr=output)
    written, since = "", time.monotonic()
    try:
        while time.monotonic() - since < RUN_LIMIT:
            try:
                return process.wait(0.1)
            except subprocess.TimeoutExpired:
                now = events.read_text(encoding="utf-8") if events.exists() else ""
            if now != written:
                written, since = now, time.monotonic()
            if '"finished"' in written:  # what the trainer left running is not waited for
                return 0
        return None
    finally:
        end(process)


def read_run(events: Path, stacks: Path, code: int | None, output: str) -> Run:
    """What the plugin wrote."""
    tests: list[str] = []
    results: dict[str, tuple[str, str]] = {}
    started = None
    for line in events.read_text(encoding="utf-8").splitlines() if events.exists() else []:
        event = json.loads(line)
        if event["event"] == "collected":
            tests = event["tests"]
        elif event["event"] == "start":
            started = event["test"]
        elif event["event"] == "loaded":
            started = None
        elif event["event"] == "result":
            results[event["test"]] = event["outcome"], event["message"]
    stack = stacks.read_text(encoding="utf-8", errors="replace") if stacks.exists() else ""
    return Run(tests, results, started, code, stack, output)


def how_it_ended(run: Run, subject: Path, name: str) -> str:
    """One sentence on the test during which the process ended."""
    for line in re.finditer(r'File "(.+)", line (\d+) in', run.stacks):
        if line.group(1) == str(subject):
            where = at_line(subject, int(line.group(2)))
            return f"{name} did not come back in time, it was{where}."
    if run.stacks or run.code is None:
        return f"{name} did not come back in time."
    how = f"signal {-run.code}" if run.code < 0 else f"exit code {run.code}"
    return f"{name} ended the whole process ({how}) instead of returning."
