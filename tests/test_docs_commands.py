"""The commands on the pages run, and what the pages say they print is what they print.

What is said after a block ("prints ...; without the bug ...", or a table with the rows "none" and
"this bug") is looked for in the output of the block, in order, and, for "without the bug", in that
of the same block on fixed/.
"""

import ast
import os
import re
import shutil
import subprocess
import sys

import judge
import pytest
import transcript
from conftest import Clone
from transcript import Block, agrees, blocks, in_order, numbers, prose_claims, says, tables

from kata.__main__ import parser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")

DOCS = judge.ROOT / "docs"
WALKTHROUGH = DOCS / "bugs.md"  # holds the pages' blocks once more
TRACKS = [page for track in ("table", "lm") for page in (judge.ROOT / "kata" / track).glob("*.md")]
PAGES = [judge.ROOT / "README.md", *sorted({*DOCS.glob("*.md")} - {WALKTHROUGH}), *sorted(TRACKS)]
BLOCKS = {page: blocks(page) for page in [*PAGES, WALKTHROUGH]}
COMMANDS = [block for page in PAGES for block in BLOCKS[page] if block.language == "sh"]

INSTALLS = "installs, from the network; .ci/run does it"
EXEMPT = {  # by how the block begins
    "python3 -m venv": INSTALLS,
    "python -m kata watch": "needs a terminal and somebody who edits",
    "for file in submissions": "test_a_class_is_collected_and_counted runs it",
    'python -c "import json, sys\ntests': "test_a_class_is_collected_and_counted runs it",
}
RED = {  # these exit with 1, and the pages say why
    "-m kata train --against ../only2": "bug 2 ends the run",
    "-m kata --against ../exercise": "two bugs are planted",
}
BY_CELL = {"25_frozen_old.md"}  # the tables turn what is printed step by step
THREE_SEEDS = {"7_frozen_old.md"}  # say what seeds 1 and 2 print as well
ENDS = r"Reward (\S+ → \S+?), .*?up to (\S+?),"
FIRST = """import lm
def first(prompts, completions):
    rewards = lm.reversal_reward(prompts, completions)
    print(float(sum(rewards)) / len(rewards), sum(map(len, completions)) / len(completions))
    raise SystemExit
lm.train(reward_fn=first)"""  # reward and length of the first step, of all that is too long to run


def exempt(block: Block) -> str | None:
    return next((why for start, why in EXEMPT.items() if block.text.startswith(start)), None)


def long(arguments: list[str]) -> bool:
    """Whether this is a whole training of the language model: most of a minute, so not run here.

    Its first step is; its end is in docs/figures/lm_runs.json (see test_docs_trainings.py).
    """
    line = " ".join(arguments)
    return line.startswith("-m kata train --trainer lm") or "-c" in line and "steps=60" in line


def variants(block: Block, call: dict) -> dict[str, dict]:
    """What stands for a call: itself, and what tells how it would be with the right trainer."""
    option, code, *rest = call["arguments"]
    if long(call["arguments"]):
        planted = re.findall(r"^--against (.*)", " ".join(rest[-2:]))
        return {"first": {"path": planted[0], "arguments": ["-c", FIRST]}} if planted else {}
    if option != "-c":
        return {"run": call}
    if block.page.name in THREE_SEEDS:
        code = "\n".join(code.replace("train(", f"train(seed={seed}, ") for seed in range(3))
    found = {"run": {"path": call["path"], "arguments": ["-c", code]}}
    found["fixed"] = found["run"] | {"path": "fixed"}
    if "['sampler_gap'] < 1e-5" in code:
        code = code.replace("['sampler_gap'] < 1e-5", "['sampler_gap']")
        found["buggy"] = {"path": "buggy", "arguments": ["-c", code]}
    if block.page.name == "3_log_ratio.md":
        found |= {
            bugs: {"path": f"../with{bugs}", "arguments": ["-c", code]} for bugs in ("5", "35")
        }
    return found


TRIED = [block for block in COMMANDS if not exempt(block)]


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> Clone:
    """A clone with room beside it."""
    return Clone(tmp_path_factory.mktemp("world") / "kata")


@pytest.fixture(scope="session")
def done(world, tmp_path_factory) -> dict[Block, dict]:
    """What each block calls, and what each variant of it answered. Same work is done once."""
    for bugs in ("5", "35"):
        folder = world.root.parent / f"with{bugs}"
        folder.mkdir()
        chosen = [bug for bug in judge.bugs("table") if str(bug.number) in bugs]
        (folder / "table.py").write_text(judge.planted("table", chosen))
    scratch = tmp_path_factory.mktemp("scratch")
    results = {
        block: {"calls": found} for block, found in zip(TRIED, transcript.calls(TRIED, scratch))
    }
    jobs, places, page = [], [], None
    for block, result in results.items():
        if block.page != page:  # each page is read as if it were the first
            jobs.append(None)
            page = block.page
        for call in result["calls"]:
            for variant, job in variants(block, call).items():
                again = job["path"] == "fixed" and job in jobs
                places.append((block, variant, jobs.index(job) if again else len(jobs)))
                jobs += [] if again else [job]
    answers = transcript.run(jobs, scratch, world.root)
    for block, variant, at in places:
        results[block].setdefault(variant, []).append((jobs[at]["arguments"], answers[at]))
    return results


def printed(done: dict, block: Block, variant: str) -> str:
    return "".join(result["out"] for _, result in done[block].get(variant, []))


def test_every_exemption_is_used():
    for start in EXEMPT:
        assert any(block.text.startswith(start) for block in COMMANDS), start


@pytest.mark.parametrize("block", TRIED, ids=str)
def test_the_commands_run(block, done):
    """Each exits with 0, or with 1 where the page says so; what is too long at least parses."""
    assert done[block]["calls"], "no command in it"
    for arguments, result in done[block].get("run", []):
        expected = int(" ".join(arguments) in RED)
        assert result["status"] == expected, (arguments, result["out"], result["err"])
    for call in done[block]["calls"]:
        if call["arguments"][0] == "-c":
            ast.parse(call["arguments"][1])
        else:
            assert call["arguments"][:2] == ["-m", "kata"]
            parser().parse_args(call["arguments"][2:])


@pytest.mark.parametrize("block", TRIED, ids=str)
def test_what_is_planted_is_what_is_used(block):
    """The folder that a block, or the last planting before it on its page, wrote."""
    planted = re.findall(r"--into (\S+)", "\n".join(b.text for b in BLOCKS[block.page]))
    used = re.findall(r"(?:--against|PYTHONPATH=)(?: ?)(\.\.\S+)", block.text)
    assert set(used) <= set(planted)
    number = re.match(r"0?(\d+)_", block.page.name)
    if number:
        assert set(planted) == {f"../only{number[1]}"}
        assert set(re.findall(r"--bugs (\S+)", block.text)) <= {number[1]}


# What the pages say.


def which(label: str) -> str | None:
    if "this bug" in label:
        return "run"
    return "fixed" if re.search(r"\bnone( planted)?$", label) else None


def table_claims(block: Block) -> list[tuple[str, list[str]]]:
    """(variant, numbers) of every row, or every cell, that says whose output it is."""
    claims = []
    for header, *rows in tables(block.after):
        if header[0] == "bug":  # of other trainings than this block's
            continue
        columns = [which(cell) for cell in header]
        if any(columns):  # the columns say it, not the rows
            last = [max(k for k in range(n + 1) if columns[k] or not k) for n in range(len(header))]
            for variant in ("fixed", "run"):
                said = (
                    cell
                    for row in rows
                    for k, cell in enumerate(row)
                    if columns[last[k]] == variant
                )
                claims.append((variant, numbers(" ".join(said))))
            continue
        variant = None
        for label, *cells in rows:
            variant = which(label) or (None if label else variant)
            if variant and block.page.name in BY_CELL:
                claims += [(variant, numbers(cell)) for cell in cells]
            elif variant:
                claims.append((variant, numbers(" ".join(cells))))
    return claims


EXAMPLES = [block for block in TRIED if " -c " in block.text and "steps=60" not in block.text]
SIGNS = next(block for block in EXAMPLES if block.page.name == "3_log_ratio.md")
EXAMPLES.remove(SIGNS)


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_what_is_said_is_what_is_printed(block, done):
    prose = [claim for claim in prose_claims(block.after) if says(claim[1])]
    rows = table_claims(block)
    if not prose and not rows:  # then it is said before
        prose = [("run", re.sub(r"\(.*?\)", "", re.split(r"[.;:]\s", block.before.strip())[-1]))]
    shown = re.findall(r"```text\n(.*?)```", block.after, re.S)
    assert shown or rows or any(says(clause) for _, clause in prose)
    for text in shown:
        assert printed(done, block, "run") == text
    for variant, clause in prose:
        output = printed(done, block, variant)
        assert transcript.holds(clause, output), (
            f"{block}: said {clause!r}, {variant} prints {output!r}"
        )
    for variant, row in rows:
        output = printed(done, block, variant)
        assert in_order(row, numbers(output)), f"{block}: said {row}, {variant} prints {output!r}"


def test_the_four_signs(done):
    """The table before the block: both ratios with both signs of the surrogate."""
    ((_, right, wrong),) = [rows for rows in tables(SIGNS.before) if "surrogate" in rows[0][1]]
    for cell, variant in zip([*right[1:], *wrong[1:]], ("fixed", "5", "run", "35")):
        assert in_order(numbers(cell), numbers(printed(done, SIGNS, variant))), (cell, variant)


TRAININGS = [block for block in TRIED if "-m kata train" in block.text and "--into" in block.text]


@pytest.mark.parametrize("block", TRAININGS, ids=str)
def test_the_training_is_told_as_it_is_printed(block, done):
    """Seed 0 of the table trainer, row by row; of the lm trainer the first step."""
    rows = {row[0]: row[1:] for header, *rows in tables(block.after)[:1] for row in rows}
    if "first" in done[block]:
        reward, length = numbers(printed(done, block, "first"))
        header = tables(block.after)[0][0][1:]
        for name, cell in zip(header, rows["this bug alone"]):
            start = re.match(r"(\S+) →", cell)
            if start and name.startswith(("reward", "length")):
                assert agrees(start[1], reward if name.startswith("reward") else length), cell
        return
    lines = printed(done, block, "run").splitlines()
    said = {"only": rows.get("this bug alone"), "fixed/table.py": rows.get("none")}
    if not rows and "→" in block.after.split("With all")[0]:  # in a sentence
        said = {
            "only": [
                "{}, clip ≤ {}".format(*re.search(ENDS, " ".join(block.after.split())).groups())
            ]
        }
    elif not rows:
        error = re.search(r"`(\w+Error: .*?)`", block.after)[1]
        assert error in done[block]["run"][-1][1]["err"]
        return
    for whose, cells in said.items():
        line = next(line for line in lines if whose in line and "→" in line)
        for part in cells[0].split(", "):
            assert part.replace("clip ≤", "up to") in line


def test_a_class_is_collected_and_counted(world, tmp_path):
    """The loop over the submissions, and the count of one of them, as the page has them."""
    page = DOCS / "classroom.md"
    loop, count = (block for block in COMMANDS if block.page == page and exempt(block))
    for name, source in (("ada", "fixed"), ("bo", "buggy"), ("cy", "no trainer at all")):
        folder = world.root / "submissions" / name
        folder.mkdir(parents=True)
        if name == "cy":
            (folder / "table.py").write_text("def group_advantages(:\n")
        else:
            shutil.copy(world.root / source / "table.py", folder)
    environment = transcript.shell(tmp_path, transcript.REAL.format(sys.executable))

    def bash(block, folder):
        asked = ["bash", "-uc", block.text]
        return subprocess.run(
            asked, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
        )

    told = bash(loop, world.root).stdout.splitlines()
    assert told == [
        f"{n} submissions/{name}/table.py" for n, name in ((0, "ada"), (1, "bo"), (1, "cy"))
    ]
    for name, right in (("ada", 7), ("bo", 0), ("cy", 0)):
        result = bash(count, world.root / "submissions" / name)
        assert result.returncode == 0, result.stderr
        assert result.stdout.startswith(f"{right} of 7 bugs; mended what was right: ")
        assert result.stdout.endswith("nothing\n") == (name != "cy")
    outcomes = (world.root / "submissions" / "cy" / "table.json").read_text()
    assert '"broken"' in outcomes


# The walkthrough.


def fences(page, chosen: str) -> list[tuple[str, str]]:
    return [(b.language, b.text) for b in BLOCKS[page] if b.language.startswith(chosen)]


@pytest.mark.parametrize("language", ["diff", "sh"])
def test_the_walkthrough_has_the_fences_of_the_pages(language):
    opening = fences(DOCS / "opening.md", language)
    chapters = [
        fence
        for track in ("table", "lm")
        for bug in judge.bugs(track)
        if f" {bug.number}. {bug.lesson}\n" in WALKTHROUGH.read_text(encoding="utf-8")
        for fence in fences(judge.ROOT / bug.page, language)
    ]
    assert fences(WALKTHROUGH, language) == opening + chapters
    assert chapters


@pytest.mark.parametrize("page", [*PAGES, WALKTHROUGH], ids=lambda page: page.name)
def test_commands_in_a_sentence_parse(page):
    text = page.read_text(encoding="utf-8")
    for command in re.findall(r"`python -m kata([^`]*)`", text):
        words = command.replace("…", "").replace("''", "").split()
        try:
            parser().parse_args(words)
        except SystemExit as end:
            pytest.fail(f"{page.name}: python -m kata {command} ({end})")
