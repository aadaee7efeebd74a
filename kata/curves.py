"""Training as a person sees it: live progress, sparklines, and what to wonder about."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

STEPS = {"plain": 60, "tensors": 60, "lm": 100}  # what train does by default
BLOCKS = "▁▂▃▄▅▆▇█"
History = list[dict[str, float]]


@contextmanager
def live(console: Console, name: str, steps: int) -> Iterator[Callable[[dict], None]]:
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
        task = progress.add_task(name, total=steps, reward=0.0, clip_frac=0.0)
        seen = 0

        def on_step(step: dict[str, float]) -> None:
            nonlocal seen
            seen += 1
            progress.update(
                task, completed=seen, reward=step["reward"], clip_frac=step["clip_frac"]
            )
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
    shares = [mean / top if top else 0.0 for mean in means]
    heights = [int(share * len(BLOCKS)) if math.isfinite(share) else 0 for share in shares]
    return "".join(BLOCKS[min(max(height, 0), len(BLOCKS) - 1)] for height in heights)


def start_and_end(history: History, key: str) -> tuple[float, float]:
    """The first value and the mean of the last five."""
    values = [step[key] for step in history]
    return values[0], sum(values[-5:]) / len(values[-5:])


def compare(console: Console, histories: dict[str, History]) -> None:
    """The trainings beside each other, and what there is to wonder about."""
    if not all(histories.values()):
        console.print("No step was trained: there is nothing to show.")
        return
    metrics = set.intersection(*(set(history[0]) for history in histories.values()))
    small = len(metrics) < 3
    console.print(curves(histories, console.width) if small else dashboard(histories))
    for question in wonder(*histories.items()):
        console.print(Text(question, "bold"))


def shortened(names: list[str], most: int = 24) -> list[str]:
    """Names cut at the front to a length that leaves room for what they name."""
    return [name if len(name) <= most else "…" + name[1 - most :] for name in names]


def curves(histories: dict[str, History], console_width: int) -> Table:
    """Reward (first step → mean of the last five) and clip fraction, a row for each training."""
    table = Table(box=None, pad_edge=False)
    for title in ("", "reward", "", "clip fraction", ""):
        table.add_column(title, no_wrap=True)
    highest = max(step["clip_frac"] for history in histories.values() for step in history)
    names = shortened(list(histories))
    # What is left beside the names, the numbers (21 cells) and the gaps is for two sparklines.
    width = max(min((console_width - max(map(len, names)) - 33) // 2, 14), 1)
    for name, history in zip(names, histories.values()):
        first, last = start_and_end(history, "reward")
        fractions = [step["clip_frac"] for step in history]
        table.add_row(
            name,
            f"{first:.2f} → {last:.2f}",
            sparkline([step["reward"] for step in history], width=width),
            f"up to {max(fractions):.2f}",
            sparkline(fractions, highest, width),
        )
    return table


def dashboard(histories: dict[str, History]) -> Table:
    """Every metric, a column for each training: the mean of the last five steps."""
    table = Table(box=None, pad_edge=False)
    table.add_column("mean of the last five steps", no_wrap=True)
    for name in shortened(list(histories)):
        table.add_column(name, no_wrap=True)
    rewards = [start_and_end(history, "reward") for history in histories.values()]
    table.add_row("reward, first step → last", *(f"{a:.2f} → {b:.2f}" for a, b in rewards))
    lines = [[step["reward"] for step in history] for history in histories.values()]
    table.add_row("", *(sparkline(line) for line in lines))
    first = next(iter(histories.values()))[0]
    for metric in first:
        if metric != "reward" and all(metric in history[0] for history in histories.values()):
            ends = [start_and_end(history, metric)[1] for history in histories.values()]
            table.add_row(metric, *(f"{end:.3g}" for end in ends))
    return table


def wonder(subject: tuple[str, History], fixed: tuple[str, History] | None = None) -> list[str]:
    """Questions that the curves raise, for a learner to answer."""
    if fixed is None:
        return []
    (name, history), (_, right) = subject, fixed
    first, last = start_and_end(history, "reward")
    _, best = start_and_end(right, "reward")
    questions = []
    if first + 0.2 < last < best - 0.05:
        questions.append(
            f"{name} improves, from {first:.2f} to {last:.2f}. Does a climbing reward show that the "
            "code is right?"
        )
    elif last <= first + 0.2 and last < best - 0.05:
        questions.append(
            f"{name} goes from {first:.2f} to {last:.2f}. If your last change was right, what did "
            "it stop making up for?"
        )
    return questions + [
        question
        for metric, odd, question in (
            (
                "clip_frac",
                lambda values: max(values) == 0,
                f"The clip fraction of {name} is exactly 0 at every step. What would have to be true "
                "of the ratios for that?",
            ),
            (
                "kl",
                lambda values: max(map(abs, values)) == 0,
                f"The KL of {name} is exactly 0 at every step. Which two policies are the same?",
            ),
            (
                "sampler_gap",
                lambda values: max(values) > 1e-3,
                f"Sampling and scoring in {name} disagree about the log-probs of the same tokens.",
            ),
            (
                "skipped",
                lambda values: max(values) > 0,
                f"{name} skipped updates: their gradient was not a finite number. Where from?",
            ),
        )
        if stands_out(history, right, metric, odd)
    ]


def stands_out(
    history: History, right: History, metric: str, odd: Callable[[list[float]], bool]
) -> bool:
    """Whether a metric is odd in one training and not in the right one."""
    if metric not in history[0] or metric not in right[0]:
        return False
    return odd([step[metric] for step in history]) and not odd([step[metric] for step in right])
