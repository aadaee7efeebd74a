"""Trains a trainer in a process of its own and passes its metrics on as they come."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from kata.answers import Broken, numbers, read_run
from kata.errors import Declined
from kata.home import kind, shown
from kata.processes import end, start
from kata.reach import describe, line_of, load

SILENCE = 60.0  # seconds without a finished step before training is given up


def train_child(path: Path, name: str, trainer: str, settings: dict[str, Any]) -> None:
    """Train, writing one JSON object a line to what was the standard output. Runs in the child.

    The lm trainer tells of its steps itself. A table trainer only reports at its end: its steps are
    seen by listening to what `rollout` and `clip_fraction` return. What it prints goes nowhere.
    """
    out = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)

    def tell(**event: object) -> None:
        os.write(out, (json.dumps(event) + "\n").encode())

    try:
        module = load(path, name)
        if not callable(getattr(module, "train", None)):
            raise Broken(f"{name} has no function train.")
        if kind(trainer) == "lm":
            returned = module.train(on_step=lambda step: tell(step=numbers(step)), **settings)
            tell(history=read_run(returned, name, policy=True)[1])
        else:
            steps = Steps(tell)
            listen(module, "rollout", steps.begin)
            listen(module, "clip_fraction", steps.clip)
            _, history = read_run(module.train(**settings), name)
            steps.end()
            tell(history=history)
    except Broken as error:
        tell(error=str(error))
    except BaseException as error:
        tell(error=f"{name} raised {describe(error)}{line_of(error, path)}.")


class Steps:
    """Puts the steps of a table trainer together from what its parts return, and tells of each."""

    def __init__(self, tell: Callable[..., None]):
        self.tell, self.step = tell, {}

    def begin(self, drawn: Any) -> None:
        self.end()
        self.step = {"reward": float(sum(drawn[3])) / len(drawn[3]), "clip_frac": 0.0}

    def clip(self, share: Any) -> None:
        self.step["clip_frac"] = max(self.step.get("clip_frac", 0.0), float(share))

    def end(self) -> None:
        if "reward" in self.step:
            self.tell(step=self.step)


def listen(module: Any, name: str, heard: Callable[[Any], None]) -> None:
    """Let `heard` see what a function of the module returns; what it cannot read, it leaves."""
    function = getattr(module, name, None)
    if not callable(function):
        return

    def listened(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        try:
            heard(value)
        except (TypeError, ValueError, IndexError, KeyError):
            pass
        return value

    setattr(module, name, listened)


def train(
    path: Path,
    root: Path,
    trainer: str,
    settings: dict[str, Any],
    on_step: Callable[[dict[str, float]], None],
) -> list[dict[str, float]]:
    """Train the file in a child process; `on_step` gets each step's metrics as they come.

    Returns the history. Raises Declined (exit 1) with one sentence if training fails.
    """
    name = shown(path, root)
    request = json.dumps(
        {"path": str(path), "name": name, "trainer": trainer, "settings": settings}
    )
    process = start(
        [sys.executable, "-B", "-m", "kata.training", request],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        for event in read_events(process.stdout):
            if event is None:
                raise Declined(f"{name}: no step was finished within {SILENCE:g} seconds.")
            if "error" in event:
                raise Declined(event["error"])
            if "history" in event:
                return event["history"]
            on_step(event["step"])
        process.wait(SILENCE)
    finally:
        end(process)
    raise Declined(f"{name} ended the process while training (exit code {process.returncode}).")


def read_events(pipe: IO[str]) -> Iterator[dict[str, Any] | None]:
    """The objects that arrive on a pipe; None after a silence."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in pipe:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=SILENCE)
        except queue.Empty:
            yield None
            return
        if not line:
            return
        yield json.loads(line)


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    train_child(Path(asked.pop("path")), **asked)
