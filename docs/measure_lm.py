"""Trains the language model right, with every bug and with each alone, and notes how it ends.

python docs/measure_lm.py [--steps 60] [--seeds 0 1 2]

Writes docs/figures/lm_runs.json: of every run the mean of the last five steps of every metric,
null where it is not finite. One thread per run, as many runs at a time as there are processors;
93 runs of 20 to 60 seconds each.
"""

import argparse
import json
import math
import os
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from kata.home import find_root  # noqa: E402
from kata.pages import Bug, read_track  # noqa: E402
from kata.plant import plant_files  # noqa: E402

OUT = ROOT / "docs" / "figures" / "lm_runs.json"
LAST = 5  # steps that the means are over
DIGITS = 6  # significant ones kept

History = list[dict[str, float]]


def plans() -> dict[str, list[Bug]]:
    """What is planted, by name: none, all, each bug alone."""
    bugs = read_track(ROOT / "kata" / "lm", find_root())
    return {"none": [], "all": bugs} | {bug.name: [bug] for bug in bugs}


def train(name: str, seed: int, steps: int) -> History:
    """One default training with what `name` stands for planted, on one thread."""
    import torch

    torch.set_num_threads(1)
    module = types.ModuleType("trainer")
    exec(compile(plant_files(ROOT, "lm.py", plans()[name]), "lm.py", "exec"), module.__dict__)
    return module.train(steps=steps, seed=seed)[1]


def summarise(history: History) -> dict[str, float | None]:
    """Mean of the last steps of every metric; None where it is not finite."""
    means = {
        metric: sum(step[metric] for step in history[-LAST:]) / len(history[-LAST:])
        for metric in history[0]
    }
    return {
        metric: float(f"{mean:.{DIGITS}g}") if math.isfinite(mean) else None
        for metric, mean in means.items()
    }


def document(steps: int, histories: dict[tuple[str, int], History]) -> str:
    """The text of lm_runs.json: one line per run."""
    runs: dict[str, list[str]] = {}
    for (name, seed), history in histories.items():
        line = json.dumps(summarise(history), allow_nan=False)
        runs.setdefault(name, []).append(f'      "{seed}": {line}')
    blocks = ['    "' + name + '": {\n' + ",\n".join(runs[name]) + "\n    }" for name in runs]
    head = f'  "steps": {steps},\n  "last": {LAST},\n'
    return "{\n" + head + '  "runs": {\n' + ",\n".join(blocks) + "\n  }\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    asked = parser.parse_args()
    keys = [(name, seed) for name in plans() for seed in asked.seeds]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        waiting = {key: pool.submit(train, *key, asked.steps) for key in keys}
        histories = {key: future.result() for key, future in waiting.items()}
    OUT.write_text(document(asked.steps, histories), encoding="utf-8")


if __name__ == "__main__":
    main()
