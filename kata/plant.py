"""Plants bugs into the fixed trainers, and takes them back, as the pages' diffs say."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kata.errors import KataError
from kata.pages import Bug, Diff, PageError


@dataclass(frozen=True)
class Site:
    """Where a bug lives in a fixed file: lines start ... end - 1 become `lines` when planted."""

    bug: Bug
    start: int
    end: int
    lines: tuple[str, ...]

    def overlaps(self, other: "Site") -> bool:
        """Whether the two touch: they share a line, or put lines into the same place."""
        return self.start < max(other.end, other.start + 1) and other.start < max(
            self.end, self.start + 1
        )


def find_block(lines: list[str], block: list[str]) -> list[int]:
    """Every line number (from 0) at which `block` stands in `lines`."""
    last = len(lines) - len(block)
    return [n for n in range(last + 1) if lines[n : n + len(block)] == block] if block else []


def find_sites(bug: Bug, diff: Diff, fixed: list[str]) -> list[Site]:
    """The changed runs of a bug's diff, as places in the fixed file.

    Raises PageError unless the '+' and context lines occur exactly once.
    """
    found = find_block(fixed, diff.side("+"))
    if len(found) != 1:
        count = f"{len(found)} times" if found else "nowhere"
        raise PageError(
            bug.page,
            diff.line,
            f"the '+' and context lines of this diff must occur once in fixed/{diff.file}, "
            f"they occur {count}.",
        )
    sites, at = [], found[0]
    run: tuple[int, list[str]] | None = None  # where the run of changes began, its '-' lines
    for line in (*diff.lines, " "):
        if line[0] == " ":
            if run:
                sites.append(Site(bug, run[0], at, tuple(run[1])))
            run = None
            at += 1
            continue
        run = run or (at, [])
        if line[0] == "-":
            run[1].append(line[1:])
        else:
            at += 1
    return sites


def read_fixed(root: Path, file: str, bugs: Iterable[Bug]) -> str:
    """The text of fixed/<file>. Raises PageError, naming a page that needs it, if it is missing."""
    path = root / "fixed" / file
    if not path.is_file():
        for bug in bugs:
            raise PageError(
                bug.page, bug.diff(file).line, f"names {file}, which fixed/ does not hold."
            )
        raise KataError(f"fixed/{file} is missing; put it back with: git checkout fixed/{file}")
    return path.read_text(encoding="utf-8")


def plant(text: str, bugs: Iterable[Bug], file: str) -> str:
    """The fixed text of `file` with `bugs` planted, whatever their order.

    Raises PageError on a diff that does not fit the text, or that changes another bug's lines.
    """
    fixed = text.removesuffix("\n").split("\n")
    sites = [site for bug in bugs for site in find_sites(bug, bug.diff(file), fixed)]
    sites.sort(key=lambda site: (site.start, site.end))
    for before, after in zip(sites, sites[1:]):
        if before.overlaps(after):
            raise PageError(
                after.bug.page,
                after.bug.diff(file).line,
                f"changes line {after.start + 1} of fixed/{file}, as does {before.bug.page}.",
            )
    for site in reversed(sites):
        fixed[site.start : site.end] = site.lines
    return "\n".join(fixed) + "\n"


def plant_files(root: Path, file: str, bugs: list[Bug]) -> str:
    """What `file` is with just `bugs` planted: read, planted, and ready to be written."""
    return plant(read_fixed(root, file, bugs), bugs, file)


def put_back(text: str, bug: Bug, file: str) -> str | None:
    """The learner's `text` with one bug put back; None if its lines are not as published."""
    diff = bug.diff(file)
    lines = text.removesuffix("\n").split("\n")
    found = find_block(lines, diff.side("+"))
    if len(found) != 1:
        return None
    start = found[0]
    lines[start : start + len(diff.side("+"))] = diff.side("-")
    return "\n".join(lines) + "\n"
