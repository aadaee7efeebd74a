"""The command line: `python -m kata`, or `kata` once installed."""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from kata.errors import Declined, KataError


def parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    options = common.add_argument_group("whose code")
    # SUPPRESS, so that an option in front of the command is not overwritten by its own default.
    options.add_argument(
        "--trainer", metavar="NAME", default=argparse.SUPPRESS, help="the trainer (default: table)"
    )
    options.add_argument(
        "--against",
        metavar="WHOSE",
        default=argparse.SUPPRESS,
        help="buggy (default), fixed, a file, or a folder that holds the trainer",
    )
    options.add_argument(
        "--all", action="store_true", default=argparse.SUPPRESS, help="show every bug by its name"
    )
    kata = argparse.ArgumentParser(
        prog="kata",
        description="Without a command: how far you are, the current failing test, what to do next.",
        parents=[common],
    )
    commands = kata.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, help_: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_, description=help_, parents=[common])

    command("status", "how far you are, and the current failing test (the default)")
    check = command("check", "run the tests, all or those of the named bugs")
    check.add_argument("bugs", nargs="*", metavar="BUG", help="number or name")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    command("watch", "the status again on every save")
    hint = command("hint", "the next hint of the current or named bug")
    hint.add_argument("bug", nargs="?", metavar="BUG", help="number or name")
    explain = command("explain", "the page of the current or named bug")
    explain.add_argument("bug", nargs="?", metavar="BUG", help="number or name")
    explain.add_argument("--spoiler", action="store_true", help="though its test still fails")
    reset = command("reset", "put bugs back into buggy/, all or the named ones")
    reset.add_argument("bugs", nargs="*", metavar="BUG", help="number or name")
    reset.add_argument("--yes", action="store_true", help="do not ask")
    plant = command("plant", "write the trainer with just some bugs planted")
    plant.add_argument("--bugs", required=True, metavar="LIST", help="such as 1,3; '' for none")
    plant.add_argument("--into", required=True, metavar="DIR", type=Path, help="folder to write to")
    plant.add_argument("--yes", action="store_true", help="overwrite")
    train = command("train", "train, and show the metrics beside those of fixed/")
    train.add_argument("--steps", type=count, metavar="N", help="steps (default: the trainer's)")
    train.add_argument("--seed", type=int, metavar="N", help="seed (default: the trainer's)")
    return kata


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from kata import commands
    from kata.home import find_root, locate

    kata = commands.Kata(
        find_root(),
        getattr(arguments, "trainer", "table"),
        getattr(arguments, "against", "buggy"),
        Console(highlight=False, markup=False),
    )
    locate(kata.root, kata.trainer, kata.against)  # or say what is wrong, whatever the command
    all_ = getattr(arguments, "all", False)
    match arguments.command:
        case None | "status":
            return commands.status(kata, all_)
        case "check":
            return commands.check(kata, arguments.bugs, arguments.json)
        case "watch":
            return commands.watch(kata, all_)
        case "hint":
            return commands.hint(kata, arguments.bug)
        case "explain":
            return commands.explain(kata, arguments.bug, arguments.spoiler)
        case "reset":
            return commands.reset(kata, arguments.bugs, arguments.yes)
        case "plant":
            return commands.plant(kata, [arguments.bugs], arguments.into, arguments.yes)
        case _:
            settings = {"steps": arguments.steps, "seed": arguments.seed}
            return commands.train(kata, {k: v for k, v in settings.items() if v is not None})


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Returns its exit code; what goes wrong is one sentence on stderr."""
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # a terminal without these characters gets question marks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    arguments = parser().parse_args(argv)
    try:
        return run(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe, such as head, has gone
        sys.stderr.close()
        return 1
    except KataError as error:
        print(error if isinstance(error, Declined) else f"kata: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
