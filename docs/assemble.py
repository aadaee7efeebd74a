"""Writes docs/bugs.md: the opening, with its table measured anew, then the pages in their order.

python docs/assemble.py
"""

import math
import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import figure_values  # noqa: E402

from kata.home import find_root  # noqa: E402
from kata.pages import Bug, read_track  # noqa: E402
from kata.plant import plant, read_fixed  # noqa: E402

SEEDS = (0, 1, 2)


def measure(source: str, seed: int) -> str:
    """Reward of one training, start → end (mean of the last five steps), or what it raised."""
    module = types.ModuleType("trainer")
    exec(compile(source, "trainer.py", "exec"), module.__dict__)
    try:
        _, history = module.train(seed=seed)
    except ZeroDivisionError as error:
        return type(error).__name__
    rewards = [step["reward"] for step in history]
    end = sum(rewards[-5:]) / 5
    return f"{rewards[0]:.2f} → {end:.2f}".replace("0.", ".")


def measured_table(bugs: list[Bug]) -> str:
    """What one sees from outside: none, all, each alone, all but each, on three seeds."""
    fixed = read_fixed(ROOT, "table.py", bugs)
    rows = [("none", []), ("all seven", bugs)]
    rows += [(f"{bug.number} alone", [bug]) for bug in bugs]
    rows += [
        (f"all but {bug.number}", [other for other in bugs if other is not bug]) for bug in bugs
    ]
    lines = ["| planted | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " |"]
    lines.append("| --- |" + " --- |" * len(SEEDS))
    for name, chosen in rows:
        source = plant(fixed, chosen, "table.py")
        lines.append(f"| {name} | " + " | ".join(measure(source, seed) for seed in SEEDS) + " |")
    return "\n".join(lines)


def given_away(bug: Bug, planted: str, fixed: str) -> str:
    """What tells of a table bug in a run at seed 0: the crash, the reward, or nothing."""
    said, right = measure(planted, 0), measure(fixed, 0)
    if "→" not in said:
        return "the crash"
    lost = float(right.split("→ ")[1]) - float(said.split("→ ")[1])
    return "reward" if lost > 0.05 else "none"


def most_telling(heat: figure_values.Heat, bug: Bug) -> str:
    """The lm metric furthest from the right runs of those that expose the bug, or none."""
    # A metric that is no number, or exactly 0, says more than any distance.
    distances = {
        metric: math.inf if cell.z is None or cell.zero else abs(cell.z)
        for metric, cell in zip(heat.metrics, heat.rows[bug.name])
        if cell.exposed
    }
    if (own := bug.kind.lower()) in distances:  # the metric of what the bug is about
        return f"`{own}`"
    return f"`{max(distances, key=distances.get)}`" if distances else "none"


def contents(bugs: list[Bug], telling: dict[str, str]) -> str:
    """The list of a track's bugs, each linking to its chapter."""
    lines = ["| bug | kind | level | | given away by |", "| --- | --- | --- | --- | --- |"]
    for bug in bugs:
        heard = "loud" if bug.loud else "silent"
        link = f"[{bug.number}. {bug.name}](#{anchor(chapter_title(bug))})"
        lines.append(f"| {link} | {bug.kind} | {bug.level} | {heard} | {telling[bug.name]} |")
    return "\n".join(lines)


def chapter_title(bug: Bug) -> str:
    return f"{bug.number}. {bug.lesson}"


def anchor(title: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def chapter(text: str, title: str, track: str) -> str:
    """A page with its headings two levels down, under this title; code fences are left alone."""
    text = re.sub(r"\]\((?=\w+\.md)", f"](../kata/{track}/", text)
    lines, fenced = [], False
    for line in text.strip().splitlines():
        fenced ^= line.startswith("```")
        lines.append("##" + line if re.match("#+ ", line) and not fenced else line)
    lines[0] = f"### {title}"
    return "\n".join(lines)


def chapters(track: str, bugs: list[Bug]) -> list[str]:
    """A track's pages in order, and what only looks like a bug."""
    decoys = (ROOT / "kata" / track / "decoys.md").read_text(encoding="utf-8")
    title = decoys.splitlines()[0].lstrip("# ")
    found = [chapter(bug.text, chapter_title(bug), track) for bug in bugs]
    return [*found, chapter(decoys, f"{title.rstrip('?')}, in the {track} track?", track)]


def assemble() -> str:
    table, lm = (read_track(ROOT / "kata" / track, find_root()) for track in ("table", "lm"))
    fixed = read_fixed(ROOT, "table.py", table)
    heat = figure_values.heat()
    seen = {bug.name: given_away(bug, plant(fixed, [bug], "table.py"), fixed) for bug in table}
    opening = (ROOT / "docs" / "opening.md").read_text(encoding="utf-8")
    opening = opening.partition("-->")[2]  # less the line that says what that file is
    for mark, text in (
        ("<!-- table contents -->", contents(table, seen)),
        ("<!-- lm contents -->", contents(lm, {bug.name: most_telling(heat, bug) for bug in lm})),
        ("<!-- measured -->", measured_table(table)),
    ):
        assert opening.count(mark) == 1, mark
        opening = opening.replace(mark, text)
    parts = [opening.strip(), "## The table track", *chapters("table", table)]
    return "\n\n".join([*parts, "## The lm track", *chapters("lm", lm)]) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "bugs.md").write_text(assemble(), encoding="utf-8")
