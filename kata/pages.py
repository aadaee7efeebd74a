"""Reads the pages: each is the only definition of its bug.

A page is kata/<track>/<n>_<name>.md. Its title is the lesson, the line below it says kind,
function, level and loudness, `## Hints` is a numbered list of three, and every diff fence
(```diff table.py) is what the planter applies to that file.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from kata.errors import KataError
from kata.home import shown

SECTIONS = (
    "Symptom",
    "Hints",
    "Cause",
    "Math",
    "Defend it",
    "Dashboard",
    "Seen in the wild",
    "When it is not a bug",
)
KINDS = "log-probs mask advantage ratio KL numerics sampling grouping update reward metrics".split()


class PageError(KataError):
    """A page breaks a rule; the message names the page and the line."""

    def __init__(self, page: str, line: int, sentence: str):
        super().__init__(f"{page}:{line}: {sentence}")


@dataclass(frozen=True)
class Diff:
    """One diff fence: the file it changes, and its lines, each with its sign in front."""

    file: str
    line: int  # of the opening fence in the page, counted from 1
    lines: tuple[str, ...]

    def side(self, sign: str) -> list[str]:
        """The lines as they stand in the fixed file (sign "+") or in the buggy one ("-")."""
        return [line[1:] for line in self.lines if line[0] in (" ", sign)]


@dataclass(frozen=True)
class Bug:
    """A page: everything the tool knows about one bug."""

    path: Path
    page: str  # the page's path as shown to a person
    number: int
    name: str
    lesson: str
    kind: str
    function: str
    level: int
    loud: bool
    hints: tuple[str, ...]
    diffs: tuple[Diff, ...]
    text: str

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def test(self) -> Path:
        return self.path.with_name(f"test_{self.id}.py")

    def diff(self, file: str) -> Diff:
        """The fence for `file`. Raises PageError if the page has none."""
        for diff in self.diffs:
            if diff.file == file:
                return diff
        raise PageError(self.page, 1, f"has no diff fence for {file}.")


def read_track(folder: Path, root: Path) -> list[Bug]:
    """The bugs of a track in their order, the number in front of the page's name."""
    found = [path for path in folder.glob("*.md") if re.match(r"\d+_", path.name)]
    pages = sorted(found, key=lambda path: int(path.stem.split("_")[0]))
    return [read_page(path, root) for path in pages]


def read_page(path: Path, root: Path) -> Bug:
    """One page as a Bug. Raises PageError, with page and line, on a page out of format."""
    page = shown(path, root)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# "):
        raise PageError(page, 1, "the first line must be the lesson, as a title: # ...")
    where, facts = read_facts(page, lines)
    sections = read_sections(page, lines)
    number, name = path.stem.split("_", 1)
    return Bug(
        path=path,
        page=page,
        number=int(number),
        name=name,
        lesson=lines[0][2:].strip(),
        kind=facts[0],
        function=facts[1].strip("`"),
        level=int(facts[2].removeprefix("level ")),
        loud=facts[3] == "loud",
        hints=read_hints(page, lines, sections["Hints"]),
        diffs=read_diffs(page, lines),
        text=text,
    )


def read_facts(page: str, lines: list[str]) -> tuple[int, list[str]]:
    """The line of facts below the title: kind · function · level 1-3 · silent or loud."""
    where = next((n for n, line in enumerate(lines[1:], 2) if line.strip()), 2)
    facts = [part.strip() for part in lines[where - 1].split("·")] if where <= len(lines) else []
    if len(facts) != 4:
        raise PageError(page, where, "expected: kind · `function` · level 1-3 · silent or loud.")
    if facts[0] not in KINDS:
        raise PageError(page, where, f"the kind {facts[0]!r} is none of {', '.join(KINDS)}.")
    if not re.fullmatch(r"level [123]", facts[2]):
        raise PageError(page, where, f"the level is 'level 1' to 'level 3', not {facts[2]!r}.")
    if facts[3] not in ("silent", "loud"):
        raise PageError(page, where, f"a bug is silent or loud, not {facts[3]!r}.")
    return where, facts


def read_sections(page: str, lines: list[str]) -> dict[str, int]:
    """Line numbers of the sections. Raises PageError unless they are SECTIONS, in order."""
    found = [(line[3:].strip(), n) for n, line in enumerate(lines, 1) if line.startswith("## ")]
    for (title, n), wanted in zip(found, SECTIONS):
        if title != wanted:
            raise PageError(page, n, f"expected the section '## {wanted}', found '## {title}'.")
    if len(found) != len(SECTIONS):
        last = found[-1][1] if found else len(lines)
        raise PageError(page, last, f"a page has {len(SECTIONS)} sections, found {len(found)}.")
    return dict(found)


def read_hints(page: str, lines: list[str], start: int) -> tuple[str, ...]:
    """The three hints below `## Hints`, each a numbered item that may run over several lines."""
    hints: list[str] = []
    for line in lines[start:]:
        if line.startswith("## "):
            break
        if item := re.match(r"(\d+)\. (.*)", line):
            hints.append(item.group(2))
        elif line.strip() and hints:
            hints[-1] += " " + line.strip()
    if len(hints) != 3:
        raise PageError(page, start, f"a page gives three hints (1. 2. 3.), found {len(hints)}.")
    return tuple(hints)


def read_diffs(page: str, lines: list[str]) -> tuple[Diff, ...]:
    """The diff fences of a page, at most one per file."""
    diffs: list[Diff] = []
    numbered = iter(enumerate(lines, 1))
    for start, line in numbered:
        if not (opening := re.match(r"```diff\s+(\S+)\s*$", line)):
            continue
        body = []
        for n, inner in numbered:
            if inner.startswith("```"):
                break
            inner = inner or " "  # an empty line of context, of which an editor cut the blank
            if inner[0] not in "-+ ":
                raise PageError(page, n, "a line of a diff starts with '-', '+' or a space.")
            body.append(inner)
        else:
            raise PageError(page, start, "this diff fence is not closed.")
        if opening.group(1) in [diff.file for diff in diffs]:
            raise PageError(page, start, f"a second diff for {opening.group(1)}; one per file.")
        if not any(inner[0] in "-+" for inner in body):
            raise PageError(page, start, "this diff changes nothing: it has no '-' or '+' line.")
        diffs.append(Diff(opening.group(1), start, tuple(body)))
    if not diffs:
        raise PageError(page, 1, "has no diff fence (```diff <file>), so nothing can be planted.")
    return tuple(diffs)
