"""Fixtures: a clone of the project in a scratch folder, and the tool run in it as a person would."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny tensors: threads only cost, and change digits

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("buggy", "fixed", "kata", "pyproject.toml")


class Clone:
    """A copy of what the tool needs. buggy/ is pristine, whatever stands in the real one."""

    def __init__(self, root: Path):
        self.root = root
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, root / part)
        self.table = root / "buggy" / "table.py"

    def run(self, *arguments: str, stdin: str = "", timeout: float = 120, **environment: str):
        """`python -m kata ...`, with its output as text."""
        return subprocess.run(
            [sys.executable, "-B", "-m", "kata", *arguments],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            env=os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"} | environment,
        )

    def pytest(self, *arguments: str):
        return subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def solve(self) -> None:
        """Let the learner's file be right."""
        shutil.copy(self.root / "fixed" / "table.py", self.table)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)
