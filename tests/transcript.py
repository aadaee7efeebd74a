"""The commands of the pages: found, read by a shell, run together in one process that forks.

As a script it is that process: python transcript.py JOBS RESULTS
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(.*)$")
NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d+(?:\.\d+)?(?:e[-−+]?\d+)?|nan|inf)(?!\w)", re.I)
VERB = re.compile(r"\b(prints?|printed|gives|shows|The loss is)\b")
OTHERWISE = re.compile(r"without (the bug|it)\b|no bug planted|should be|instead of", re.I)
TIMES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
RECORDER = """#!/bin/sh
{ printf '%s\\0' "${PYTHONPATH-}" "$#"; printf '%s\\0' "$@"; } >> "$RECORD"
"""
REAL = """#!/bin/sh
exec '{}' -B "$@"
"""


@dataclass(frozen=True)
class Block:
    """A fence of a page, with the text around it up to the next fence of code or heading."""

    page: Path
    line: int
    language: str
    text: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.page.parent.name}/{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fences of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    fences, at = [], None
    for number, line in enumerate(lines):
        if FENCE.match(line):
            if at is not None:
                fences.append((at, number))
            at = number if at is None else None
    assert at is None, f"{page.name}: the fence of line {at and at + 1} is never closed"
    inside = {number for a, b in fences for number in range(a, b + 1)}
    shown = {number for a, b in fences if lines[a] == "```text" for number in range(a, b + 1)}
    ends = {number for number, line in enumerate(lines) if line.startswith("#")} - inside
    ends |= (inside - shown) | {-1, len(lines)}
    return [
        Block(
            page,
            a + 1,
            lines[a][3:],
            "\n".join(lines[a + 1 : b]),
            "\n".join(lines[max(end for end in ends if end < a) + 1 : a]),
            "\n".join(lines[b + 1 : min(end for end in ends if end > b)]),
        )
        for a, b in fences
    ]


def shell(folder: Path, python: str) -> dict[str, str]:
    """An environment in which `python` is this script."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "python").write_text(python)
    (tools / "python").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "100", "PYTHONUTF8": "1"}
    return os.environ | settings


def calls(found: list[Block], folder: Path) -> list[list[dict]]:
    """What the commands of each block ask of python: its PYTHONPATH and arguments.

    The shell reads them, quotes and all; nothing is run but a script that notes how it is called.
    """
    record, every = folder / "record", []
    environment = shell(folder, RECORDER) | {"RECORD": str(record)}
    environment.pop("PYTHONPATH", None)
    for block in found:
        record.write_bytes(b"")
        subprocess.run(["bash", "-euc", block.text], env=environment, cwd=folder, check=True)
        words = record.read_text(encoding="utf-8").split("\0")[:-1]
        every.append([])
        while words:
            path, count, *words = words
            every[-1].append({"path": path, "arguments": words[: int(count)]})
            words = words[int(count) :]
    return every


def run(jobs: list[dict], folder: Path, root: Path) -> list[dict]:
    """Status and output of every job, in order. A job of None starts a page: planted folders go."""
    asked, answered = folder / "jobs.json", folder / "results.json"
    asked.write_text(json.dumps(jobs))
    command = [sys.executable, "-B", __file__, str(asked), str(answered)]
    environment = shell(folder, REAL.format(sys.executable))
    environment.pop("PYTHONPATH", None)
    subprocess.run(command, cwd=root, env=environment, check=True, timeout=600)
    return json.loads(answered.read_text())


def execute(arguments: list[str], path: str) -> None:
    """`python ARGUMENTS`, in this process."""
    if path:
        sys.path.insert(0, path)
    sys.path.insert(0, "")
    option, what, *rest = arguments
    sys.argv = [option, *rest]
    if option == "-m":
        sys.path[0] = os.getcwd()
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    elif option == "-c":
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    else:
        raise ValueError(f"python {option}")


def forked(job: dict, out: Path) -> dict:
    """Run a job in a child of its own, as fresh as this process is."""
    child = os.fork()
    if not child:
        status = 1
        try:
            for number in (1, 2):
                os.dup2(os.open(f"{out}{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            execute(job["arguments"], job["path"])
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    printed, told = (Path(f"{out}{n}").read_text(encoding="utf-8") for n in (1, 2))
    return {"status": os.waitstatus_to_exitcode(status), "out": printed, "err": told}


def main(asked: Path, answered: Path) -> None:
    sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    import torch

    # Once, for all that are forked: the first optimiser imports a good deal more.
    torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))])

    results: list[dict | None] = []
    for job in json.loads(asked.read_text()):
        if job is None:
            for folder in Path("..").glob("only*"):
                shutil.rmtree(folder)
        results.append(job and forked(job, answered.with_suffix(".out")))
    answered.write_text(json.dumps(results))


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def agrees(said: str, printed: str) -> bool:
    """Whether a page's number is the printed one, rounded to as many digits as the page has.

    A whole number and a 0.0 are meant exactly.
    """
    said, printed = (text.replace("−", "-").lower() for text in (said, printed))
    value, exact = float(said), float(printed)
    mantissa, _, exponent = said.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if "n" in said or not (decimals or exponent) or not value and decimals == 1:
        return value == exact or value != value and exact != exact
    unit = 10.0 ** (int(exponent or 0) - decimals)
    return abs(exact - value) <= 0.500001 * unit


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a text: header and rows, each a list of cells."""
    found = re.findall(r"(?:^\|.*\n?)+", text, re.M)
    cells = [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()]
        for lines in found
    ]
    return [[rows[0], *rows[2:]] for rows in cells]


def in_order(said: list[str], printed: list[str]) -> bool:
    """Whether the numbers occur among the printed ones, in their order."""
    rest = iter(printed)
    return all(any(agrees(one, other) for other in rest) for one in said)


def spelt_out(clause: str) -> str:
    """'four times X' as X X X X, 'X twice' as X X; no shares in per cent."""
    clause = re.sub(r"[\d.]+ %", "", clause)
    clause = re.sub(
        rf"\b({'|'.join(TIMES)}) (?:times|are) (\S+)", lambda m: f"{m[2]} " * TIMES[m[1]], clause
    )
    return re.sub(r"(\S+) twice", r"\1 \1", clause)


def prose_claims(text: str) -> list[tuple[str, str]]:
    """(variant, clause) of every clause that says what is printed, or would be without the bug."""
    text = re.sub(r"```.*?```|^\|.*$", "", text, flags=re.S | re.M)
    text = re.sub(r" \((?:[^()`]|`--bugs ''`)*\)|,? with seeds 1 and 2 as well", "", text)
    claims, begun = [], False
    for clause in re.split(r"(?<=[.;:])\s+", " ".join(text.split())):
        if "`PYTHONPATH=buggy`" in clause:
            claims.append(("buggy", clause))
        elif VERB.search(clause):
            begun = True
            said, _, right = clause.partition("instead of")
            claims += [("run", said), ("fixed", right)]
        elif begun and OTHERWISE.search(clause):
            claims.append(("fixed", clause))
        elif begun and "in both runs" in claims[-1][1]:
            claims += [("run", clause), ("fixed", clause)]
        if "in both runs" in clause:
            claims.append(("run", "in both runs"))
    return [(variant, spelt_out(clause)) for variant, clause in claims]


def holds(clause: str, output: str) -> bool:
    """Whether the numbers and the words like `None` of a clause are in the output."""
    counted = re.search(r"(\d+) entries", clause)
    if counted:
        return len(numbers(output)) == int(counted[1])
    words = re.findall(r"`(None|True|False)`", clause)
    every = re.search(r"\b(every|each) (line|time|width)\b", clause)
    return all(word in output for word in words) and all(
        in_order(numbers(clause), numbers(line))
        for line in (output.splitlines() if every else [output])
    )


def says(clause: str) -> bool:
    return bool(numbers(clause) or re.search(r"`(None|True|False)`", clause))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
