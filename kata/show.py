"""What the tool shows: status, results, hints, pages, changes."""

import difflib
import json
from pathlib import Path
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from kata.home import shown
from kata.pages import Bug
from kata.run import Result

MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "broken": ("!", "yellow")}


def first_red(results: list[Result]) -> Result | None:
    """The current test: the first bug, in page order, that is still there; else a red guard."""
    red = [result for result in results if not result.passed]
    return next((result for result in red if result.bug), red[0] if red else None)


def bar(done: int, of: int) -> Text:
    """A progress bar, a few cells a bug."""
    cells = 3 if of < 10 else 1
    return Text.assemble(("█" * (cells * done), "green"), ("░" * (cells * (of - done)), "dim"))


def print_status(
    console: Console, results: list[Result], subject: Path, root: Path, command: str, all_: bool
) -> None:
    """Progress, finished bugs with their lesson, the current failing test, and what to do next."""
    bugs = [result for result in results if result.bug]
    done = sum(result.passed for result in bugs)
    name = shown(subject, root)
    console.print(
        Text.assemble(bar(done, len(bugs)), f"  {done} of {len(bugs)} bugs fixed in ", name)
    )
    current = first_red(results)
    for result in bugs:
        if result.passed:
            console.print(line_for(result, result.bug.lesson))
        elif all_ or result is current:
            console.print(line_for(result, result.bug.name if all_ else "the current one, below"))
    if current is None:
        print_success(console, bugs, command)
        return
    console.print()
    print_failure(console, current)
    guards = [result for result in results if not result.passed and not result.bug]
    if others := [guard for guard in guards if guard.message != current.message]:
        console.print()
        console.print(Text("Something that was right before is not any more:", "yellow"))
        for guard in others:
            print_failure(console, guard)
    console.print()
    if current.bug:
        print_next(console, name, current, command)
    else:
        said = f"All {len(bugs)} bugs are fixed, but the code above was right as it was published."
        console.print(Text(said, "yellow"))


def line_for(result: Result, text: str) -> Text:
    mark, style = MARKS[result.outcome]
    return Text.assemble((f" {mark} ", style), f"{result.bug.number}  {text}")


def print_success(console: Console, bugs: list[Result], command: str) -> None:
    console.print()
    console.print(
        Text(f"All {len(bugs)} bugs are fixed, and what was right still is.", "bold green")
    )
    for line in (
        f"  Watch it learn:         {command} train",
        f"  Defend what you did:    {command} explain 1   (each page ends with the questions)",
        "  Read the whole story:   docs/bugs.md",
    ):
        console.print(Text(line))


def print_failure(console: Console, result: Result) -> None:
    """One red test: where it is, and what it says."""
    mark, style = MARKS[result.outcome]
    console.print(Text.assemble((f"{mark} ", style), (result.test, "bold")))
    console.print(Padding(Text(result.message), (0, 0, 0, 2)))


def print_next(console: Console, name: str, current: Result, command: str) -> None:
    test = current.test.partition("::")[0]
    for what, how in (
        ("Edit", name),
        ("Check again", f"{command}   (or leave `{command} watch` running)"),
        ("Stuck", f"{command} hint"),
        ("The test", test),
        ("In a debugger", f"python -m pytest {test} --pdb{command.removeprefix('python -m kata')}"),
    ):
        console.print(Text.assemble((f"{what + ':':<15}", "dim"), how))


def print_results(console: Console, results: list[Result]) -> None:
    """Every result as a line, then the message of each that is red."""
    for result in results:
        mark, style = MARKS[result.outcome]
        console.print(
            Text.assemble((f" {mark} ", style), result.id, (f"  {result.outcome}", "dim"))
        )
    for result in results:
        if not result.passed:
            console.print()
            print_failure(console, result)


def results_json(results: list[Result], trainer: str, subject: Path, root: Path) -> str:
    """The one object that `check --json` prints."""
    tests = [
        {
            "test": result.id,
            "bug": result.bug.name if result.bug else None,
            "outcome": result.outcome,
            "message": result.message,
        }
        for result in results
    ]
    return json.dumps({"trainer": trainer, "file": shown(subject, root), "tests": tests}, indent=2)


def print_hint(console: Console, bug: Bug, number: int) -> None:
    console.print(Text(f"Hint {number} of {len(bug.hints)} for bug {bug.number}", "bold"))
    console.print(Markdown(bug.hints[number - 1]))


class PlainFence(CodeBlock):
    """A code block without a margin, whose lines can be copied as they are."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Syntax(str(self.text).rstrip(), self.lexer_name, background_color="default")


class Page(Markdown):
    """Markdown as pages are shown."""

    elements: ClassVar = Markdown.elements | {"fence": PlainFence}


def print_page(console: Console, bug: Bug) -> None:
    console.print(Page(bug.text))


def print_change(console: Console, old: str, new: str, name: str) -> None:
    """A change to a file, as a unified diff."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{name} (now)", f"{name} (after)", lineterm=""
    )
    text = "\n".join(lines).encode("utf-8", "replace").decode("utf-8")
    if console.is_terminal:
        console.print(Syntax(text, "diff", background_color="default"))
    else:
        console.print(Text(text))
