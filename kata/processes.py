"""Runs code that is not trusted to end: in a process group of its own, which is ended whole."""

import os
import signal
import subprocess
from typing import Any


def start(command: list[str], **options: Any) -> subprocess.Popen:
    """A process in a group (on Windows: alone), without anything on its standard input."""
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, start_new_session=hasattr(os, "killpg"), **options
    )


def end(process: subprocess.Popen) -> None:
    """End a process and what it has started, whatever they are doing."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass  # nothing is left of it
    process.wait()
