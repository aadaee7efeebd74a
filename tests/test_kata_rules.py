"""The rules that the kata tests and their messages keep."""

import ast
import importlib
import random
import time

import judge
import pytest
from near_misses_table import NEAR_MISSES

TRACKS = sorted({trainer.split("_")[0] for trainer in ("table",)})
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


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
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


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_a_kata_test_is_one_function_with_its_symptom(path):
    tests = [function for function in functions(path) if function.name.startswith("test_")]
    if path.stem != "test_decoys":
        assert [test.name for test in tests] == ["test_" + path.stem.split("_", 2)[2]]
    for test in tests:
        symptom = ast.get_docstring(test)
        assert symptom.endswith(".") and "\n" not in symptom and ". " not in symptom


@pytest.mark.parametrize("whose", ["buggy", "fixed"])
def test_no_kata_test_takes_half_a_second(whose):
    source = (judge.ROOT / whose / "table.py").read_text(encoding="utf-8")
    code = compile(source, "trainer_under_test.py", "exec")
    for path in TESTS:
        module = importlib.import_module(f"kata.{path.parent.name}.{path.stem}")
        for function in functions(path):
            if not function.name.startswith("test_"):
                continue
            given = {"trainer": judge.TextTrainer(code), "rng": random.Random(0)}
            begun = time.process_time()
            try:
                getattr(module, function.name)(**{a.arg: given[a.arg] for a in function.args.args})
            except pytest.fail.Exception:
                pass
            assert time.process_time() - begun < 0.5, f"{path.stem}::{function.name}"


def every_message() -> list[str]:
    """What the tests say of buggy/, of each bug alone, and of the near misses."""
    fixed, bugs = judge.fixed("table"), judge.bugs("table")
    texts = [judge.planted("table", chosen) for chosen in (bugs, *([bug] for bug in bugs))]
    texts += [fixed.replace(miss.old, miss.new) for miss in NEAR_MISSES]
    said = {line for text in texts for red in judge.messages(text).values() for line in red}
    return sorted(message for message in said if "\n" in message)


def test_failure_messages_are_short_and_name_no_line_to_change():
    messages = every_message()
    fixes = {
        line[1:].strip()
        for bug in judge.bugs("table")
        for diff in bug.diffs
        for line in diff.lines
        if line[0] == "+" and len(line.strip()) > 12
    }
    assert len(messages) > 50 and len(fixes) > 7
    for message in messages:
        lines = message.splitlines()
        assert 4 <= len(lines) <= 8, message
        assert lines[1].startswith("  gave      ") and lines[1].split()[1:], message
        assert lines[2].startswith("  expected  ") and lines[2].split()[1:], message
        assert not [fix for fix in fixes if fix in message], message
        assert ".py" not in message and " line " not in message, message
