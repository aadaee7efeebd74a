"""Writes docs/bugs.md: the opening, with its table measured anew, then the pages in their order.

python docs/assemble.py
"""

import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

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


def contents(bugs: list[Bug]) -> str:
    """The list of the bugs, each linking to its chapter."""
    lines = ["| bug | kind | function | level | |", "| --- | --- | --- | --- | --- |"]
    for bug in bugs:
        heard = "loud" if bug.loud else "silent"
        link = f"[{bug.number}. {bug.name}](#{anchor(chapter_title(bug))})"
        lines.append(f"| {link} | {bug.kind} | `{bug.function}` | {bug.level} | {heard} |")
    return "\n".join(lines)


def chapter_title(bug: Bug) -> str:
    return f"{bug.number}. {bug.lesson}"


def anchor(title: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def chapter(text: str, title: str) -> str:
    """A page with its headings one level down, under this title; code fences are left alone."""
    lines, fenced = [], False
    for line in text.strip().splitlines():
        fenced ^= line.startswith("```")
        lines.append("#" + line if line.startswith("#") and not fenced else line)
    lines[0] = f"## {title}"
    return "\n".join(lines)


def assemble() -> str:
    bugs = read_track(ROOT / "kata" / "table", find_root())
    opening = (ROOT / "docs" / "opening.md").read_text(encoding="utf-8")
    opening = opening.replace("<!-- contents -->", contents(bugs))
    opening = opening.replace("<!-- measured -->", measured_table(bugs))
    decoys = (ROOT / "kata" / "table" / "decoys.md").read_text(encoding="utf-8")
    chapters = [chapter(bug.text, chapter_title(bug)) for bug in bugs]
    chapters.append(chapter(decoys, decoys.splitlines()[0].lstrip("# ")))
    return "\n\n".join([opening.strip(), *chapters]) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "bugs.md").write_text(assemble(), encoding="utf-8")
