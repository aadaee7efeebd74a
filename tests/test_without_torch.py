"""Without torch the plain kata is as it was, and the others say what to install."""

import os
import subprocess
import sys

import pytest

ARGUMENTS = [["check"], ["train"], [], ["hint"], ["watch"], ["plant", "--bugs", "", "--into", "x"]]


def run(clone, *arguments, hide=False, **environment):
    hidden = "sys.modules['torch'] = None; " if hide else ""
    program = f"import sys; {hidden}from kata.__main__ import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-B", "-c", program, *arguments],
        cwd=clone.root,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(clone.root)} | environment,
    )


@pytest.mark.parametrize("trainer", ["table_torch", "lm"])
@pytest.mark.parametrize(
    "arguments", ARGUMENTS, ids=lambda arguments: " ".join(arguments) or "kata"
)
def test_one_sentence_says_what_to_install(clone, trainer, arguments):
    result = run(clone, "--trainer", trainer, *arguments, hide=True)
    assert result.returncode == 3
    assert result.stdout == ""
    assert result.stderr == (
        f"kata: The trainer {trainer} needs torch, which is not installed: "
        "pip install -e '.[torch]'\n"
    )


@pytest.mark.parametrize("arguments", [["check", "--against", "fixed"], ["train", "--steps", "2"]])
def test_the_plain_kata_never_imports_torch(clone, arguments):
    (clone.root / "torch.py").write_text("raise SystemExit('torch was imported')\n")
    result = run(clone, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "torch was imported" not in result.stdout + result.stderr
