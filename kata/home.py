"""Where things are: the clone, its trainers and their tracks."""

from importlib.util import find_spec
from pathlib import Path

from kata.errors import KataError, UsageError


def find_root() -> Path:
    """The clone: the folder that holds kata/, fixed/ and buggy/."""
    here = Path(__file__).resolve().parents[1]
    for folder in (here, Path.cwd(), *Path.cwd().parents):
        if (folder / "fixed").is_dir() and (folder / "kata" / "table").is_dir():
            return folder
    raise KataError(
        "kata runs inside its clone: change to the folder that holds buggy/, fixed/ and kata/."
    )


def trainers(root: Path) -> list[str]:
    """The trainers there are, by name: the files of fixed/."""
    return sorted(path.stem for path in (root / "fixed").glob("*.py"))


def track(trainer: str) -> str:
    """The folder of kata/ that holds a trainer's pages and tests; a port shares its track."""
    return trainer.split("_")[0]


def kind(trainer: str) -> str:
    """What a trainer works on: "plain" lists, "tensors" (a port of a plain one), or "lm"."""
    return "lm" if trainer == "lm" else "tensors" if trainer.endswith("_torch") else "plain"


def locate(root: Path, trainer: str, against: str) -> Path:
    """The file that `--against` means: a twin, a file, or a folder that holds the trainer.

    Raises UsageError if there is no such thing, KataError if the trainer needs a package that is
    not installed. A twin's file may be missing, which is for the tests to say.
    """
    if trainer not in trainers(root):
        raise UsageError(f"There is no trainer {trainer!r}; there are {', '.join(trainers(root))}.")
    if kind(trainer) != "plain" and not find_spec("torch"):
        raise KataError(
            f"The trainer {trainer} needs torch, which is not installed: pip install -e '.[torch]'"
        )
    name = f"{trainer}.py"
    if against in ("buggy", "fixed"):
        return root / against / name
    try:
        path = Path(against).expanduser().resolve()
        found = path.exists()
    except (OSError, RuntimeError):  # a name too long, a home of nobody
        found = False
    if found and path.is_dir():
        if (path / name).is_file():
            return path / name
        raise UsageError(f"The folder {against} holds no {name}.")
    if found:
        return path
    raise UsageError(f"--against {against}: there is no such file or folder.")


def shown(path: Path, root: Path) -> str:
    """A path as a person would type it from the clone."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
