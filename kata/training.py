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

from kata.answers import Broken, read_run
from kata.errors import Declined
from kata.home import shown
from kata.reach import describe, line_of, load

SILENCE = 30.0  # seconds without a finished step before training is given up


def train_child(path: Path, name: str, settings: dict[str, Any]) -> None:
    """Train, writing one JSON object a line to what was the standard output. Runs in the child.

    The steps are seen by listening to what `rollout` and `clip_fraction` return: `train` itself
    only reports at its end. What the trainer prints goes nowhere.
    """
    out = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)

    def tell(**event: object) -> None:
        os.write(out, (json.dumps(event) + "\n").encode())

    try:
        module = load(path, name)
        listen(module, "rollout", lambda drawn: tell(reward=mean(drawn[3])))
        listen(module, "clip_fraction", lambda share: tell(clip_frac=float(share)))
        if not callable(getattr(module, "train", None)):
            raise Broken(f"{name} has no function train.")
        _, history = read_run(module.train(**settings), name)
        tell(history=history)
    except Broken as error:
        tell(error=str(error))
    except BaseException as error:
        tell(error=f"{name} raised {describe(error)}{line_of(error, path)}.")


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


def mean(values: Any) -> float:
    return float(sum(values)) / len(values)


def train(
    path: Path,
    root: Path,
    settings: dict[str, Any],
    on_step: Callable[[dict[str, float]], None],
) -> list[dict[str, float]]:
    """Train the file in a child process; `on_step` gets each step's metrics as they come.

    Returns the history. Raises Declined (exit 1) with one sentence if training fails.
    """
    name = shown(path, root)
    request = json.dumps({"path": str(path), "name": name, "settings": settings})
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "kata.training", request],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    step: dict[str, float] = {}
    try:
        for event in read_events(process.stdout):
            if event is None:
                raise Declined(f"{name}: no step was finished within {SILENCE:g} seconds.")
            if "error" in event:
                raise Declined(event["error"])
            if "history" in event:
                if step:
                    on_step(step)
                return event["history"]
            if "reward" in event and "clip_frac" in step:
                on_step(step)
                step = {}
            largest = max(step.get("clip_frac", 0.0), event.get("clip_frac", 0.0))
            step |= event | {"clip_frac": largest}
        process.wait(SILENCE)
    finally:
        process.kill()
        process.communicate()
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
    train_child(Path(asked["path"]), asked["name"], asked["settings"])
