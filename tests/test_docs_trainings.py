"""What the pages say of trainings, by what was planted and with which seed, is what they do."""

import json
import re
from functools import cache
from types import ModuleType

import judge
import pytest
from transcript import agrees, numbers, tables

DOCS = judge.ROOT / "docs"
RUNS = DOCS / "figures" / "lm_runs.json"
ALL = frozenset(range(1, 8))
SEEDS = (0, 1, 2)
TABLE = sorted((judge.ROOT / "kata" / "table").glob("[1-7]_*.md"))
LM = sorted((judge.ROOT / "kata" / "lm").glob("[0-9]*.md"))


@cache
def training(bugs: frozenset[int], seed: int) -> dict:
    """One training of the table trainer at its defaults: how it goes, or what ends it and when."""
    chosen = [bug for bug in judge.bugs("table") if bug.number in bugs]
    module, rewards = ModuleType("trainer"), []
    exec(compile(judge.planted("table", chosen), "trainer.py", "exec"), vars(module))
    drawn = module.rollout

    def rollout(*args, **kwargs):
        result = drawn(*args, **kwargs)
        rewards.append(sum(result[3]) / len(result[3]))
        return result

    module.rollout = rollout
    try:
        _, history = module.train(seed=seed)
    except ZeroDivisionError as error:
        return {"error": type(error).__name__, "step": len(rewards), "rewards": rewards}
    clip = max(step["clip_frac"] for step in history)
    last = sum(step["reward"] for step in history[-5:]) / 5
    told = {"first": history[0]["reward"], "last": last, "clip": clip}
    return {name: f"{value:.2f}" for name, value in told.items()} | {"history": history}


def ends(bugs: frozenset[int], key: str = "last") -> list[str]:
    return [training(bugs, seed).get(key) for seed in SEEDS]


def page_of(number: int) -> str:
    return next(p for p in TABLE if p.name.startswith(f"{number}_")).read_text(encoding="utf-8")


def planted(label: str, number: int) -> frozenset[int] | None:
    """What a row's label stands for on the page of a bug."""
    for start, bugs in (
        ("none", frozenset()),
        ("this bug alone", frozenset({number})),
        ("all seven", ALL),
        ("all but this one", ALL - {number}),
    ):
        if label.startswith(start):
            listed = re.search(r"--bugs ([\d,]+)", label)
            assert not listed or set(map(int, listed[1].split(","))) == bugs, label
            return bugs
    return None


ROWS = [
    (number, label, cells)
    for number in sorted(ALL)
    for header, *rows in tables(page_of(number))
    if header == ["planted", "seed 0", "seed 1", "seed 2"]
    for label, *cells in rows
]


@pytest.mark.parametrize("number, label, cells", ROWS)
def test_rows_of_the_table_pages(number, label, cells):
    for seed, cell in zip(SEEDS, cells):
        told = training(planted(label, number), seed)
        shown = told.get("error") or f"{told['first']} → {told['last']}"
        if "clip" in cell:
            shown += f", clip ≤ {told['clip']}"
        assert cell == shown, f"seed {seed}"


LISTED = [
    (path.name, listed, sentence)
    for path in TABLE
    for listed, sentence in re.findall(
        r"^(?!\|)[^\n]*?`--bugs ([\d,]+)`(.*?)(?:\.\s|\n\n)",
        path.read_text(encoding="utf-8"),
        re.M | re.S,
    )
]
TRIPLE = re.compile(r"(\d\.\d\d), (\d\.\d\d),? (?:and )?(\d\.\d\d)")


@pytest.mark.parametrize("page, listed, sentence", LISTED)
def test_sentences_with_a_list_of_bugs(page, listed, sentence):
    """The last three rewards before a comma that begins something else, and the clip fractions."""
    bugs = frozenset(map(int, listed.split(",")))
    rewards, _, clip = " ".join(sentence.split()).partition("clip fraction")
    if "raises ZeroDivisionError with all three seeds" in rewards:
        assert ends(bugs, "error") == ["ZeroDivisionError"] * 3
        return
    assert list(TRIPLE.findall(rewards)[-1]) == ends(bugs)
    if clip:
        assert list(TRIPLE.findall(clip)[-1]) == ends(bugs, "clip")


def test_there_are_rows_and_sentences():
    assert len(ROWS) >= 16 and len(LISTED) >= 5


def test_how_a_tied_group_ends_the_run():
    text = " ".join(page_of(2).split())
    steps, alone = ends(frozenset({2}), "step"), frozenset({2})
    said = re.search(
        r"in the first step with seed 0, in step (\d+) with `--seed 1` and `--seed 2`", text
    )
    assert steps == [1, int(said[1]), int(said[1])]
    reached = re.search(r"the reward has reached (\S+) and (\S+):", text)
    assert list(reached.groups()) == [f"{training(alone, s)['rewards'][-1]:.2f}" for s in (1, 2)]
    assert list(TRIPLE.search(text.split("three seeds end at")[1]).groups()) == ends(frozenset())
    same = [training(bugs, seed)["history"] for bugs in (ALL, ALL - {2}) for seed in SEEDS]
    assert same[:3] == same[3:]


def test_how_little_the_upper_bound_shows():
    text, alone = " ".join(page_of(4).split()), frozenset({4})
    arrows = re.findall(r"(\d\.\d\d) → (\d\.\d\d)", text.split("with seeds 0, 1, 2")[0])
    assert arrows == [(a, b) for a, b in zip(ends(alone, "first"), ends(alone))]
    assert list(TRIPLE.search(text.split("the clip fraction is up to")[1]).groups()) == ends(
        alone, "clip"
    )
    equal = [training(alone, s)["history"] == training(frozenset(), s)["history"] for s in SEEDS]
    assert equal == [False, True, True]


def test_how_a_right_fix_crashes():
    text = " ".join(page_of(3).split())
    step = re.search(r"\(seed 0: in step (\d+), when all rewards are 0\)", text)
    told = training(ALL - {3}, 0)
    assert told["step"] == int(step[1]) and told["rewards"][-1] == 0


def smaller() -> list[tuple[str, str]]:
    """The exercises of the table track: which bugs, and what a run shows."""
    text = (DOCS / "classroom.md").read_text(encoding="utf-8")
    found = [rows for rows in tables(text) if rows[0][:2] == ["bugs", "why these"]]
    return [(row[0], row[2]) for row in found[0][1:]]


@pytest.mark.parametrize("bugs, shown", smaller())
def test_smaller_exercises(bugs, shown):
    chosen = frozenset(map(int, bugs.split(", ")))
    for clause in re.split(r"; |, where |: ", shown):
        whose = chosen
        if "right run" in clause:
            whose = frozenset()
        elif "either one alone" in clause:
            below = float(re.search(r"below (\S+)", clause)[1])
            assert all(float(end) < below for bug in chosen for end in ends(frozenset({bug})))
        mended = re.search(r"bug (\d) mended", shown.split(clause)[0][-20:])
        alone = re.search(r"bug (\d) alone", clause)
        if alone:
            whose = frozenset({int(alone[1])})
        if mended:
            whose = chosen - {int(mended[1])}
        if "same history" in clause:
            runs = [[training(b, s)["history"] for s in SEEDS] for b in (chosen, whose)]
            assert runs[0] == runs[1]
        elif steps := re.search(r"in step (\d+), (\d+), (\d+)", clause):
            assert [int(n) for n in steps.groups()] == ends(whose, "step"), clause
        elif rewards := TRIPLE.search(clause):
            assert list(rewards.groups()) == ends(whose), clause


def test_the_reward_that_the_readme_begins_with():
    text = (judge.ROOT / "README.md").read_text(encoding="utf-8").split("## Start")[0]
    said = [f"0{number}" for number in re.findall(r"(?<!\d)\.\d\d", text)]
    whole = training(ALL, 0)
    wanted = [whole["first"], whole["last"], ends(ALL - {5})[0], ends(frozenset())[0]]
    assert said == wanted


# The language model: the tables are those of lm_runs.json, whose runs docs/measure_lm.py made.

METRICS = {
    "tied share": "tied_share",
    "share that ended with EOS": "eos_share",
    "grad norm": "grad_norm",
    "gradient norm": "grad_norm",
    "clip fraction": "clip_frac",
    "sampler gap": "sampler_gap",
    "KL": "kl",
}
BETA = 0.04  # the default weight of the KL term


@cache
def runs() -> dict[str, dict[str, dict[str, float | None]]]:
    measured = json.loads(RUNS.read_text(encoding="utf-8"))
    assert (measured["steps"], measured["last"]) == (60, 5)
    return measured["runs"]


def check_row(name: str, seed: int, header: list[str], cells: list[str]) -> None:
    run = runs()[name][str(seed)]
    for title, cell in zip(header, cells, strict=True):
        title = title.replace(", first → end", "").strip("`")
        if title == "policy part":
            parts = run["loss"], run["kl"]
            value = None if None in parts else parts[0] - BETA * parts[1]
        else:
            value = run[METRICS.get(title, title)]
        said = numbers(cell)[-1]  # the end, where the start is given too
        assert agrees(said, "nan" if value is None else repr(value)), (name, title, cell, value)


@pytest.mark.parametrize("path", LM, ids=lambda path: path.stem)
def test_tables_of_the_lm_pages(path):
    bug = path.stem.split("_", 1)[1]
    header, *rows = tables(path.read_text(encoding="utf-8"))[0]
    assert header[0] == "planted" and [row[0] for row in rows] == ["none", "this bug alone"]
    for name, row in zip(("none", bug), rows):
        check_row(name, 0, header[1:], row[1:])


def dashboard() -> list[tuple[str, int, list[str], list[str]]]:
    """Rows of the dashboard's tables of runs: what is planted, the seed, titles, cells."""
    found = []
    for header, *rows in tables((DOCS / "dashboard.md").read_text(encoding="utf-8")):
        for label, *cells in rows if header[0] == "planted" else ():
            bug, seed = re.match(r"\[\d+ (\w+)\]", label), re.match(r"none, seed (\d)", label)
            name = bug[1] if bug else "all" if label.startswith("all") else "none"
            found.append((name, int(seed[1]) if seed else 0, header[1:], cells))
    return found


def test_the_dashboards_runs():
    rows = dashboard()
    assert len(rows) >= 50
    for name, seed, header, cells in rows:
        check_row(name, seed, header, [cell.replace("**", "") for cell in cells])


def test_the_dashboards_right_run():
    text = (DOCS / "dashboard.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\].*\| \S+ → (\S+) \|$", text, re.M)
    assert len(rows) == 12
    for metric, end in rows:
        check_row("none", 0, [metric], [end])
