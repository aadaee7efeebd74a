"""Writes docs/sightings.md: every public report that the pages of both tracks cite.

python docs/sightings.py
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from kata.home import find_root  # noqa: E402
from kata.pages import Bug, read_track  # noqa: E402

TRACKS = ("table", "lm")
LINK = re.compile(r"\[([^]]+)\](?:\(([^)]+)\)|\[([^]]*)\])")
GITHUB = re.compile(r"https://github\.com/([^/]+/[^/]+)(?:/(issues|pull)/(\d+))?/?$")
NONE_FOUND = re.compile(r"\bno\b[^.]*\bfound\b", re.IGNORECASE)

HEAD = """\
# Sightings

Public reports that the pages cite, as they cite them: the sections "Seen in the wild" of
[kata/table](../kata/table) and [kata/lm](../kata/lm), in the order of the bugs. It tells which bugs
each page shows, so it gives the answers away.

The line is the page's own. "Cousin" is a report of the same family but not of exactly this bug.
Open, closed and merged are as they were when the thread was read. What was reported as a bug and
was none is on the two pages of false alarms, [table](../kata/table/decoys.md) and
[lm](../kata/lm/decoys.md).
"""


@dataclass(frozen=True)
class Sighting:
    """One project in one item of a page's section."""

    track: str
    bug: Bug
    project: str  # owner/name
    reports: tuple[str, ...]  # Markdown links, such as [#12](https://...)
    line: str  # the item in plain text


def seen_in_the_wild(text: str) -> str:
    """The body of the section of that name."""
    return text.split("\n## Seen in the wild\n")[1].split("\n## ")[0].strip()


def items(section: str) -> list[str]:
    """The bullets and paragraphs of a section, each on one line, link definitions left out."""
    blocks = re.split(r"\n\s*\n|\n(?=[-*] )", section)
    lines = [" ".join(block.split()).removeprefix("- ") for block in blocks]
    return [line for line in lines if line and not re.match(r"\[[^]]+\]: ", line)]


def links(item: str, section: str) -> list[str]:
    """The addresses that an item links to, references looked up in the section."""
    named = dict(re.findall(r"^\[([^]]+)\]: (\S+)$", section, re.M))
    return [url or named[name or text] for text, url, name in LINK.findall(item)]


def plain(item: str) -> str:
    """An item without its links, and without the label of the report that it begins with."""
    text, labels = re.subn(rf"^((?:Cousin|Disputed): )?{LINK.pattern}[.:] ", r"\1", item)
    text = LINK.sub(r"\1", text).replace("|", r"\|")
    return text[0].upper() + text[1:] if labels and text.split()[0].isalpha() else text


def sightings(track: str, bug: Bug) -> list[Sighting]:
    """What a page cites: one row for each project that an item names."""
    section, found = seen_in_the_wild(bug.text), []
    for item in items(section):
        projects: dict[str, list[str]] = {}
        for url in links(item, section):
            if match := GITHUB.match(url):
                project, _, number = match.groups()
                report = f"[#{number}]({url})" if number else f"[code]({url})"
                projects.setdefault(project, []).append(report)
        found += [
            Sighting(track, bug, project, tuple(dict.fromkeys(reports)), plain(item))
            for project, reports in projects.items()
        ]
    return found


def says_none(bug: Bug) -> list[str]:
    """The clauses in which a page says that no report was found, each as a sentence."""
    return [
        clause[0].upper() + clause[1:].rstrip(".:") + "."
        for item in items(seen_in_the_wild(bug.text))
        for clause in re.split(r"(?<=[.!?]) (?=[A-Z])|; ", plain(item))
        if NONE_FOUND.search(clause)
    ]


def page_link(track: str, bug: Bug) -> str:
    return f"[{bug.number} {bug.name}](../kata/{track}/{bug.id}.md)"


def table(track: str, bugs: list[Bug]) -> str:
    """The rows of one track."""
    lines = ["| bug | project | report | what was seen |", "| --- | --- | --- | --- |"]
    for seen in (seen for bug in bugs for seen in sightings(track, bug)):
        reports = ", ".join(seen.reports)
        row = (page_link(track, seen.bug), seen.project, reports, seen.line)
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def missing(tracks: dict[str, list[Bug]]) -> str:
    """The bugs whose pages say that no exact report was found, in the pages' words."""
    return "\n".join(
        f"- {track}, {page_link(track, bug)}: {' '.join(sentences)}"
        for track, bugs in tracks.items()
        for bug in bugs
        if (sentences := says_none(bug))
    )


def assemble() -> str:
    tracks = {track: read_track(ROOT / "kata" / track, find_root()) for track in TRACKS}
    pages = [(track, bug) for track, bugs in tracks.items() for bug in bugs]
    cited = [seen for track, bug in pages for seen in sightings(track, bug)]
    reports = {report for seen in cited for report in seen.reports}
    projects = {seen.project.lower() for seen in cited}
    parts = [HEAD + f"\nIn all {len(reports)} links to {len(projects)} projects."]
    parts += [f"## The {track} track\n\n{table(track, bugs)}" for track, bugs in tracks.items()]
    parts += ["## No exact report found", missing(tracks)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "sightings.md").write_text(assemble(), encoding="utf-8")
