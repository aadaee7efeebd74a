"""The rules that the kata tests and their messages keep."""

import ast
import importlib
import random
import time

import judge
import pytest
from near_misses_table import NEAR_MISSES as OF_TABLE

NEAR_MISSES = {"table": OF_TABLE}
TRACKS = sorted({judge.track(path.stem) for path in (judge.ROOT / "fixed").glob("*.py")})
TESTS = [
    path for track in TRACKS for path in sorted((judge.ROOT / "kata" / track).glob("test_*.py"))
]
ALLOWED_IMPORTS = {"math", "kata.expect", "kata.replay"}
FORBIDDEN_NAMES = {"open", "exec", "eval", "getattr", "setattr", "vars", "globals", "__import__"}
FORBIDDEN_WORDS = ("monkeypatch", "mock", "inspect", "getsource", "call_count", "sys.modules")


def functions(path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("track", TRACKS)
def test_every_page_has_its_test_and_every_test_its_page(track):
    folder = judge.ROOT / "kata" / track
    pages = {path.stem for path in folder.glob("[0-9]*_*.md")} | {"decoys"}
    tests = {path.stem.removeprefix("test_") for path in folder.glob("test_*.py")}
    assert pages == tests
    assert (folder / "decoys.md").is_file()
    numbers = sorted(int(page.split("_")[0]) for page in pages - {"decoys"})
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_kata_test_looks_at_behaviour_only(path):
    text = path.read_text(encoding="utf-8")
    assert not [word for word in FORBIDDEN_WORDS if word in text]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {name.name for name in node.names} <= ALLOWED_IMPORTS
        elif isinstance(node, ast.ImportFrom):
            assert node.module in ALLOWED_IMPORTS
        elif isinstance(node, ast.Name):
            assert node.id not in FORBIDDEN_NAMES
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_") or node.attr == "__name__"


@pytest.mark.parametrize("path", TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_kata_test_is_one_function_with_its_symptom(path):
    tests = [function for function in functions(path) if function.name.startswith("test_")]
    if path.stem != "test_decoys":
        assert [test.name for test in tests] == ["test_" + path.stem.split("_", 2)[2]]
    for test in tests:
        symptom = ast.get_docstring(test)
        assert symptom.endswith(".") and "\n" not in symptom and ". " not in symptom


@pytest.mark.parametrize("whose", ["buggy", "fixed"])
@pytest.mark.parametrize("path", TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_kata_test_takes_half_a_second(path, whose):
    trainer = path.parent.name
    source = (judge.ROOT / whose / f"{trainer}.py").read_text(encoding="utf-8")
    code = compile(source, "trainer_under_test.py", "exec")
    module = importlib.import_module(f"kata.{trainer}.{path.stem}")
    for function in functions(path):
        if not function.name.startswith("test_"):
            continue
        names = [argument.arg for argument in function.args.args]
        for left in (1, 0):  # the first time pays for imports that torch puts off
            given = {"trainer": judge.TextTrainer(code, trainer), "rng": random.Random(0)}
            begun = time.process_time()
            try:
                getattr(module, function.name)(**{name: given[name] for name in names})
            except pytest.fail.Exception:
                pass
            spent = time.process_time() - begun
            if spent < 0.5:
                break
            assert left, f"{path.stem}::{function.name} took {spent:.2f} s"


def every_message(trainer: str) -> list[str]:
    """What the tests say of buggy/, of each bug alone, and of every third near miss."""
    fixed, bugs = judge.fixed(trainer), judge.bugs(trainer)
    texts = [judge.planted(trainer, chosen) for chosen in (bugs, *([bug] for bug in bugs))]
    texts += [fixed.replace(miss.old, miss.new) for miss in NEAR_MISSES.get(trainer, [])[::3]]
    said = {
        line for text in texts for red in judge.messages(text, trainer).values() for line in red
    }
    return sorted(message for message in said if "\n" in message)


@pytest.mark.parametrize(
    "trainer", sorted(path.stem for path in (judge.ROOT / "fixed").glob("*.py"))
)
def test_failure_messages_are_short_and_name_no_line_to_change(trainer):
    messages = every_message(trainer)
    bugs = judge.bugs(trainer)
    fixes = {
        line[1:].strip()
        for bug in bugs
        for diff in bug.diffs
        for line in diff.lines
        if line[0] == "+" and len(line.strip()) > 12
    }
    assert len(messages) >= len(bugs) and len(fixes) > 7
    for message in messages:
        lines = message.splitlines()
        assert 4 <= len(lines) <= 8, message
        assert lines[1].startswith("  gave      ") and lines[1].split()[1:], message
        assert lines[2].startswith("  expected  ") and lines[2].split()[1:], message
        assert not [fix for fix in fixes if fix in message], message
        assert ".py" not in message and " line " not in message, message
