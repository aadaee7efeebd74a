"""Writes to disk without losing anything: atomic files, backups, and the one fact that is kept, how
many hints were opened."""

import json
import os
import tempfile
from datetime import datetime
from pathlib import Path

from kata.errors import KataError


def write_text(path: Path, text: str) -> None:
    """Write a file whole: whenever it is interrupted, the file is the old or the new one.

    Raises KataError if it cannot be written; the old file is then as it was.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise KataError(f"{path} could not be written: {error.strerror}.") from None


def back_up(path: Path, root: Path) -> Path:
    """Copy a file into .kata/backups/ under the time it was taken. Returns the copy's path."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    copy = root / ".kata" / "backups" / f"{path.stem}-{stamp}{path.suffix}"
    write_text(copy, read_text(path))
    return copy


def read_text(path: Path) -> str:
    """A file's text as it stands, line ends included, bytes that are not UTF-8 kept."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError as error:
        raise KataError(f"{path} could not be read: {error.strerror}.") from None


def hints_file(root: Path) -> Path:
    return root / ".kata" / "hints.json"


def opened_hints(root: Path) -> dict[str, int]:
    """How many hints were opened, by track and bug; a missing or broken file means none."""
    try:
        stored = json.loads(hints_file(root).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {key: n for key, n in stored.items() if isinstance(n, int) and not isinstance(n, bool)}


def remember_hints(root: Path, opened: dict[str, int]) -> None:
    write_text(hints_file(root), json.dumps(opened, indent=1) + "\n")
