"""docs/math.md as a page: every claim has its test, every quoted line is in the code."""

import ast
import re
import textwrap
from pathlib import Path

import exact
import judge
import pytest

TEXT = exact.PAGE.read_text(encoding="utf-8")
TESTS = [
    node.name
    for path in sorted(Path(__file__).parent.glob("test_math_*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
QUOTED = re.findall(
    r"In \[`(fixed/\w+\.py)`\]\(\.\./(fixed/\w+\.py)\), `(\w+)`:\n\n```python\n(.*?)```", TEXT, re.S
)
QUESTIONS = re.findall(r"^### (\d+)\. (.*?)\n\n(.*?)(?=^### |\Z)", TEXT, re.M | re.S)


def test_every_claim_has_its_test():
    wanted = {f"test_{claim.replace('-', '_')}" for claim in exact.claims(TEXT)}
    assert len(TESTS) == len(set(TESTS))
    assert set(TESTS) == wanted


def test_every_tag_is_read():
    # One that is misspelt or broken over two lines would be no claim.
    assert TEXT.count("[claim:") == len(exact.claims(TEXT)) + 1  # and the one that explains them


@pytest.mark.parametrize("file, link, function, block", QUOTED)
def test_quoted_lines_are_in_the_function(file, link, function, block):
    assert file == link
    source = (judge.ROOT / file).read_text(encoding="utf-8")
    found = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    assert len(found) == 1, f"{file} has no {function}"
    lines = ast.get_source_segment(source, found[0], padded=True).splitlines()
    wanted = block.splitlines()
    runs = (lines[k : k + len(wanted)] for k in range(len(lines)))
    assert any(textwrap.dedent("\n".join(run)).splitlines() == wanted for run in runs), block


def test_every_code_block_is_a_quote():
    assert TEXT.count("```python\n") == len(QUOTED) == TEXT.count("```") / 2


def test_every_step_quotes_code_and_says_what_breaks():
    steps = re.findall(r"^## Step \d+.*?(?=^## )", TEXT, re.M | re.S)
    assert len(steps) == 10
    for step in steps:
        assert "```python" in step, step[:60]
        assert re.search(r"\*\*Without it\.\*\*.*?\]\(\.\./kata/\w+/\w+\.md\)", step, re.S), step[
            :60
        ]


def test_questions_are_answered_in_short():
    assert [int(number) for number, _, _ in QUESTIONS] == list(range(1, 26))
    for number, title, body in QUESTIONS:
        answer, asked = body.strip().split("\n\n")
        assert title.endswith("?") and 2 <= len(answer.splitlines()) <= 5, number
        assert exact.claims(answer), f"question {number} has nothing computed"
        assert "https://" in asked or "arXiv" in asked or number in ("17", "25"), number


def test_lines_are_short():
    long = [line for line in TEXT.splitlines() if len(line) > 100 and not line.startswith("|")]
    assert not long
