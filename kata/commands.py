"""The commands. Each takes what was asked and returns an exit code."""

import difflib
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from kata import show, store, training
from kata.curves import STEPS, compare, live
from kata.errors import Declined, KataError, UsageError
from kata.home import kind, locate, shown, track
from kata.pages import Bug, read_track
from kata.plant import plant_files, put_back
from kata.run import Result, run_tests


@dataclass(frozen=True)
class Kata:
    """What every command works on: the clone, a trainer with its bugs, and whose code is tested."""

    root: Path
    trainer: str
    against: str
    console: Console

    @property
    def file(self) -> str:
        return f"{self.trainer}.py"

    @property
    def subject(self) -> Path:
        return locate(self.root, self.trainer, self.against)

    @cached_property  # the pages are read once
    def bugs(self) -> list[Bug]:
        folder = self.root / "kata" / track(self.trainer)
        bugs = read_track(folder, self.root)
        return [bug for bug in bugs if any(diff.file == self.file for diff in bug.diffs)]

    @property
    def command(self) -> str:
        """How this was called, for 'what to type next'."""
        options = f" --trainer {self.trainer}" if self.trainer != "table" else ""
        options += f" --against {shlex.quote(self.against)}" if self.against != "buggy" else ""
        return f"python -m kata{options}"

    def named(self, names: list[str]) -> list[Bug]:
        """The bugs that are meant by number, name or page name, in page order.

        Raises UsageError on an unknown one, and says which is nearest.
        """
        parts = [part for name in names for part in name.split(",") if part.strip()]
        chosen = [find_bug(self.bugs, part) for part in parts]
        return [bug for bug in self.bugs if bug in chosen]

    def run(self, chosen: list[Bug] | None = None) -> list[Result]:
        subject = self.subject
        with Console(stderr=True).status("running the tests"):
            return run_tests(self.root, self.bugs, self.trainer, subject, chosen)


def find_bug(bugs: list[Bug], name: str) -> Bug:
    names = {key: bug for bug in bugs for key in (str(bug.number), bug.name, bug.id)}
    if name.strip() in names:
        return names[name.strip()]
    near = difflib.get_close_matches(name.strip(), names, n=1, cutoff=0.6)
    meant = f"did you mean {near[0]}?" if near else f"they are numbered 1 to {len(bugs)}."
    raise UsageError(f"There is no bug {name.strip()!r}; {meant}")


def all_passed(results: list[Result]) -> int:
    return 0 if all(result.passed for result in results) else 1


def status(kata: Kata, all_: bool = False) -> int:
    results = kata.run()
    show.print_status(kata.console, results, kata.subject, kata.root, kata.command, all_)
    return all_passed(results)


def check(kata: Kata, names: list[str], json: bool) -> int:
    results = kata.run(kata.named(names) if names else None)
    if json:
        print(show.results_json(results, kata.trainer, kata.subject, kata.root))
    else:
        show.print_results(kata.console, results)
    return all_passed(results)


def watch(kata: Kata, all_: bool = False) -> int:
    """Status again on every save, until all is fixed or Ctrl-C."""
    subject = kata.subject
    name = shown(subject, kata.root)
    seen: object = ()
    for _ in ticks(subject.parent):
        if (stamp := stamp_of(subject)) == seen:
            continue
        seen = stamp
        kata.console.clear()
        try:
            if status(kata, all_) == 0:
                return 0
        except KataError as error:  # such as a file that an editor is just replacing
            kata.console.print(str(error))
        kata.console.print(f"\n{datetime.now():%H:%M:%S}  Watching {name}; Ctrl-C ends it.")
    return 130


def ticks(folder: Path) -> Iterator[None]:
    """At once, then whenever something in the folder may have changed, and every half second."""
    from watchfiles import watch as changes

    yield
    while True:
        if not folder.is_dir():
            time.sleep(0.5)
            yield
            continue
        # The folder, not the file: editors replace files, and a deleted one may come back.
        for _ in changes(folder, recursive=False, step=50, rust_timeout=500, yield_on_timeout=True):
            yield
            if not folder.is_dir():
                break


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """What changes with every save; None while there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def current_bug(kata: Kata) -> Bug | None:
    current = show.first_red(kata.run())
    return current.bug if current else None


def hint(kata: Kata, name: str | None) -> int:
    """The next hint of a bug; after the last, the last again."""
    bug = find_bug(kata.bugs, name) if name else current_bug(kata)
    if bug is None:
        kata.console.print("No bug is left: there is nothing to hint at.")
        return 0
    opened = store.opened_hints(kata.root)
    key = f"{track(kata.trainer)}/{bug.name}"
    number = min(max(opened.get(key, 0), 0) + 1, len(bug.hints))
    show.print_hint(kata.console, bug, number)
    if number == len(bug.hints):
        said = (
            f"That is the last one. The whole page: {kata.command} explain {bug.number} --spoiler"
        )
        kata.console.print(Text(said, "dim"))
    store.remember_hints(kata.root, opened | {key: number})
    return 0


def explain(kata: Kata, name: str | None, spoiler: bool) -> int:
    """A bug's page; withheld while its test fails, unless it is asked for."""
    bug = find_bug(kata.bugs, name) if name else current_bug(kata)
    if bug is None:
        kata.console.print(f"No bug is left. Name one: {kata.command} explain 1")
        return 0
    if not spoiler and all_passed(kata.run([bug])):
        raise Declined(
            f"The page of bug {bug.number} gives its fix away, and its test still fails. "
            f"To read it all the same: {kata.command} explain {bug.number} --spoiler"
        )
    show.print_page(kata.console, bug)
    return 0


def reset(kata: Kata, names: list[str], yes: bool) -> int:
    """Put bugs back into the learner's file, after showing the change and asking."""
    if kata.against != "buggy":
        raise UsageError("reset works on buggy/ only; for another place: kata plant --into DIR.")
    subject, name = kata.subject, shown(kata.subject, kata.root)
    pristine = plant_files(kata.root, kata.file, kata.bugs)
    now = store.read_text(subject) if subject.is_file() else ""
    after = replant(kata, now, kata.named(names)) if names else pristine
    if after is None:
        if yes or not confirm(kata, f"Put the whole of {name} back as it was published?"):
            kata.console.print(f"Nothing was changed. The whole file: {kata.command} reset")
            return 1
        after = pristine
    if after.replace("\r\n", "\n") == now.replace("\r\n", "\n"):
        kata.console.print(f"{name} is as it was published: there is nothing to put back.")
        return 0
    show.print_change(kata.console, now, after, name)
    if not yes and not confirm(kata, f"Make this change to {name}?"):
        kata.console.print("Nothing was changed.")
        return 1
    if subject.is_file():
        copy = store.back_up(subject, kata.root)
        kata.console.print(f"Your file is kept as {shown(copy, kata.root)}.")
    store.write_text(subject, after)
    kata.console.print(f"{name} is put back. Check it: {kata.command}")
    return 0


def replant(kata: Kata, now: str, bugs: list[Bug]) -> str | None:
    """The learner's text with `bugs` put back; None, and a sentence, if one cannot be."""
    newline = "\r\n" if "\r\n" in now else "\n"
    text = now.replace("\r\n", "\n")
    for bug in bugs:
        after = put_back(text, bug, kata.file)
        if after is None:
            kata.console.print(
                f"Bug {bug.number} cannot be put back alone: the lines of its published fix are "
                f"not in buggy/{kata.file} (it is not fixed, or fixed in another way)."
            )
            return None
        text = after
    return text.replace("\n", newline)


def confirm(kata: Kata, question: str) -> bool:
    """Ask; no answer at all, as in a script, means no."""
    try:
        return kata.console.input(f"{question} [y/N] ", markup=False).strip().lower() in (
            "y",
            "yes",
        )
    except EOFError:
        kata.console.print()
        return False


def plant(kata: Kata, names: list[str], into: Path, yes: bool) -> int:
    """Write the trainer with just the named bugs into a folder."""
    bugs = kata.named(names)
    path = into / kata.file
    if not str(into).strip("."):
        raise UsageError("--into needs the name of a folder.")
    if into.resolve() in (kata.root / "fixed", kata.root / "buggy"):
        raise UsageError(f"--into {into}: this is the kata's own folder, name another one.")
    if into.exists() and not into.is_dir():
        raise UsageError(f"--into {into}: this is not a folder.")
    if path.exists() and not yes:
        raise Declined(f"{path} is there already; to overwrite it, add --yes.")
    store.write_text(path, plant_files(kata.root, kata.file, bugs))
    numbers = ", ".join(str(bug.number) for bug in bugs)
    planted = f"{'bugs' if len(bugs) > 1 else 'bug'} {numbers}" if bugs else "no bug"
    kata.console.print(f"{path}: {kata.trainer} with {planted} planted.")
    return 0


def train(kata: Kata, settings: dict[str, Any]) -> int:
    """Train the learner's file and the fixed one; then show one beside the other."""
    fixed = locate(kata.root, kata.trainer, "fixed")
    files = [kata.subject] if kata.subject == fixed else [kata.subject, fixed]
    histories = {}
    for path in files:
        name = shown(path, kata.root)
        steps = settings.get("steps", STEPS[kind(kata.trainer)])
        with live(kata.console, name, steps) as on_step:
            histories[name] = training.train(path, kata.root, kata.trainer, settings, on_step)
    compare(kata.console, histories)
    return 0
