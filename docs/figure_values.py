"""What the figures show: numbers that the trainers give, without any drawing."""

import json
import math
import statistics
import sys
import types
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fixed import table  # noqa: E402
from kata.home import find_root  # noqa: E402
from kata.pages import Bug, read_track  # noqa: E402
from kata.plant import plant_files  # noqa: E402
from kata.training import Steps, listen  # noqa: E402

SEEDS = (0, 1, 2)
LM_RUNS = ROOT / "docs" / "figures" / "lm_runs.json"

# The worked example of docs/math.md: one prompt, four tokens.
POLICY = (0.4, 0.3, 0.2, 0.1)
REFERENCE = (0.1, 0.3, 0.4, 0.2)

FLOOR_SHARE, FLOOR = 0.05, 0.01  # the std of a z-score is at least 5% of the mean, and 0.01
EXPOSED = 4.0  # |z| from which a metric gives a bug away, if the seeds agree


@dataclass(frozen=True)
class Run:
    """A training of the table trainer, up to its end or its crash."""

    reward: tuple[float, ...]  # of every rollout, the one it crashed on included
    clip_frac: tuple[float, ...]  # of every finished step
    error: str  # the name of the exception, or ""


@cache
def bugs(track: str) -> list[Bug]:
    return read_track(ROOT / "kata" / track, find_root())


def table_with(numbers: tuple[int, ...]) -> types.ModuleType:
    """The table trainer with just these bugs planted."""
    chosen = [bug for bug in bugs("table") if bug.number in numbers]
    module = types.ModuleType("trainer")
    exec(compile(plant_files(ROOT, "table.py", chosen), "table.py", "exec"), module.__dict__)
    return module


def every() -> tuple[int, ...]:
    return tuple(bug.number for bug in bugs("table"))


def all_but(number: int) -> tuple[int, ...]:
    return tuple(other for other in every() if other != number)


@cache
def table_run(numbers: tuple[int, ...], seed: int) -> Run:
    """Train with the default settings. Listens to the steps, since a run that crashes returns
    nothing."""
    module, told, error = table_with(numbers), [], ""
    steps = Steps(lambda step: told.append(step))
    listen(module, "rollout", steps.begin)
    listen(module, "clip_fraction", steps.clip)
    try:
        module.train(seed=seed)
    except ZeroDivisionError as raised:
        error = type(raised).__name__
    steps.end()
    clip = [step["clip_frac"] for step in told]
    return Run(tuple(step["reward"] for step in told), tuple(clip[:-1] if error else clip), error)


def surrogate(module, ratio: float, advantage: float, **options: float) -> float:
    """Minus the loss of one token without KL."""
    old = [[-2.0]]
    new = [[-2.0 + math.log(ratio)]]
    return -module.grpo_loss(new, old, old, [advantage], [[1]], beta=0.0, **options)


def k1(delta: float) -> float:
    return -delta


def k2(delta: float) -> float:
    return delta**2 / 2


def k3(delta: float) -> float:
    """The KL term of one token with advantage 0, as the code has it."""
    return table.grpo_loss([[-2.0]], [[-2.0]], [[delta - 2.0]], [0.0], [[1]], beta=1.0)


def mean_gradient(estimator) -> list[float]:
    """Of an estimator as a loss: the gradient of every token's, weighed by how likely it is."""

    def loss(theta):
        logps = table.log_softmax(theta[0])
        return sum(
            likely * estimator(math.log(ref) - logp)
            for likely, ref, logp in zip(POLICY, REFERENCE, logps)
        )

    return table.numeric_grad(loss, [[math.log(p) for p in POLICY]])[0]


def kl_gradient(reverse: bool) -> list[float]:
    """Of KL(policy || reference), or in reverse of KL(reference || policy)."""

    def kl(theta):
        logps = table.log_softmax(theta[0])
        refs = [math.log(ref) for ref in REFERENCE]
        one, other = (refs, logps) if reverse else (logps, refs)
        return sum(math.exp(a) * (a - b) for a, b in zip(one, other))

    return table.numeric_grad(kl, [[math.log(p) for p in POLICY]])[0]


def token_weights(lengths: tuple[int, ...], width: int) -> dict[str, list[float]]:
    """What a token of each row weighs in the three averages. The first is asked of the code."""
    count = len(lengths)
    return {
        "token mean": [coded_weight(lengths, width, row) for row in range(count)],
        "sequence mean": [1 / (count * length) for length in lengths],
        "constant length": [1 / (count * width)] * count,
    }


def coded_weight(lengths: tuple[int, ...], width: int, row: int) -> float:
    """How much of the first token's KL arrives in the loss when no other token has any."""
    mask = [[1] * length + [0] * (width - length) for length in lengths]
    same = [[-2.0] * width for _ in lengths]
    ref = [list(line) for line in same]
    ref[row][0] += 1.0
    return table.grpo_loss(same, same, ref, [0.0] * len(lengths), mask, beta=1.0) / k3(1.0)


@dataclass(frozen=True)
class Cell:
    """One bug seen through one metric."""

    z: float | None  # None: not finite
    exposed: bool  # the metric gives the bug away
    zero: bool  # it is exactly 0 in every run, and in no right one


@dataclass(frozen=True)
class Heat:
    metrics: list[str]
    rows: dict[str, list[Cell]]
    unmoved: set[str]  # bugs whose numbers are those of the right runs, digit by digit
    seeds: list[str]
    steps: int
    last: int

    def hidden(self, name: str) -> bool:
        """Whether no metric exposes the bug."""
        return not any(cell.exposed for cell in self.rows[name])


def heat() -> Heat:
    """Every bug of the lm track against every metric, from lm_runs.json.

    Only seeds that every run has count.
    """
    written = json.loads(LM_RUNS.read_text(encoding="utf-8"))
    runs = written["runs"]
    seeds = sorted(set.intersection(*(set(by_seed) for by_seed in runs.values())), key=int)
    right = [runs["none"][seed] for seed in seeds]
    metrics = list(right[0])
    names = [*(bug.name for bug in bugs("lm")), "all"]
    wrong = {name: [runs[name][seed] for seed in seeds] for name in names}
    rows = {
        name: [cell([r[m] for r in wrong[name]], [r[m] for r in right]) for m in metrics]
        for name in names
    }
    unmoved = {name for name in names if wrong[name] == right}
    return Heat(metrics, rows, unmoved, seeds, written["steps"], written["last"])


def cell(wrong: list[float | None], right: list[float]) -> Cell:
    """z = (mean of the bug's seeds - mean of the right ones) / (std of the right ones, floored).

    Exposed: not finite, or exactly 0 where right runs never are, or |z| of at least EXPOSED with
    every seed beyond every right one, on one side.
    """
    if None in wrong:
        return Cell(None, True, False)
    mean = statistics.mean(right)
    std = max(statistics.stdev(right), FLOOR_SHARE * abs(mean), FLOOR)
    z = (statistics.mean(wrong) - mean) / std
    apart = min(wrong) > max(right) or max(wrong) < min(right)
    zero = not any(wrong) and all(right)
    return Cell(z, zero or (apart and abs(z) >= EXPOSED), zero)
