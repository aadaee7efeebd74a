"""Training as a person sees it: live progress, sparklines, and what to wonder about."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

STEPS = 60  # what train does by default
BLOCKS = "▁▂▃▄▅▆▇█"
History = list[dict[str, float]]


@contextmanager
def live(console: Console, name: str, steps: int | None) -> Iterator[Callable[[dict], None]]:
    """Progress of one training; yields what is to be called with each step's metrics.

    Without a terminal, every tenth step is printed as a line.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("reward {task.fields[reward]:.2f}  clip fraction {task.fields[clip_frac]:.2f}"),
    )
    with Progress(*columns, console=console) as progress:
        total = STEPS if steps is None else steps
        task = progress.add_task(name, total=total, reward=0.0, clip_frac=0.0)
        seen = 0

        def on_step(step: dict[str, float]) -> None:
            nonlocal seen
            seen += 1
            progress.update(task, completed=seen, **step)
            if not console.is_terminal and seen % 10 == 1:
                console.print(
                    f"{name}  step {seen}  reward {step['reward']:.2f}  "
                    f"clip fraction {step['clip_frac']:.2f}"
                )

        yield on_step


def sparkline(values: list[float], top: float = 1.0, width: int = 14) -> str:
    """Values from 0 to `top` as a line of blocks, each the mean of its share of the values."""
    width = min(width, len(values))
    edges = [round(k * len(values) / width) for k in range(width + 1)] if width else []
    means = [sum(values[a:b]) / (b - a) for a, b in zip(edges, edges[1:])]
    heights = [int(mean / top * len(BLOCKS)) if top else 0 for mean in means]
    return "".join(BLOCKS[min(max(height, 0), len(BLOCKS) - 1)] for height in heights)


def start_and_end(history: History, key: str) -> tuple[float, float]:
    """The first value and the mean of the last five."""
    values = [step[key] for step in history]
    return values[0], sum(values[-5:]) / len(values[-5:])


def compare(console: Console, histories: dict[str, History]) -> None:
    """The trainings as rows of a table, and what there is to wonder about."""
    if not all(histories.values()):
        console.print("No step was trained: there is nothing to show.")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("", "reward", "", "clip fraction", ""):
        table.add_column(title, no_wrap=True)
    highest = max(step["clip_frac"] for history in histories.values() for step in history)
    for name, history in histories.items():
        first, last = start_and_end(history, "reward")
        fractions = [step["clip_frac"] for step in history]
        table.add_row(
            name,
            f"{first:.2f} → {last:.2f}",
            sparkline([step["reward"] for step in history]),
            f"up to {max(fractions):.2f}",
            sparkline(fractions, highest),
        )
    console.print(table)
    for question in wonder(*histories.items()):
        console.print(Text(question, "bold"))


def wonder(subject: tuple[str, History], fixed: tuple[str, History] | None = None) -> list[str]:
    """Questions that the curves raise, for a learner to answer."""
    if fixed is None:
        return []
    (name, history), (_, right) = subject, fixed
    first, last = start_and_end(history, "reward")
    _, best = start_and_end(right, "reward")
    questions = []
    if last > first + 0.2 and last < best - 0.05:
        questions.append(
            f"{name} improves, from {first:.2f} to {last:.2f}. Does a climbing reward show that the "
            "code is right?"
        )
    elif last <= first + 0.2:
        questions.append(
            f"{name} goes from {first:.2f} to {last:.2f}. If your last change was right, what did "
            "it stop making up for?"
        )
    if max(step["clip_frac"] for step in history) == 0 < max(step["clip_frac"] for step in right):
        questions.append(
            f"The clip fraction of {name} is exactly 0 at every step. What would have to be true of "
            "the ratios for that?"
        )
    return questions
