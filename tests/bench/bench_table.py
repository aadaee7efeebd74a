"""Plain against torch: one loss and its gradient on a table of 4 prompts, for growing batches.

    python tests/bench/bench_table.py [--longest SECONDS]

Not a test. The plain trainer differentiates numerically, two losses per logit; the port does not.
Both run on one thread, and each time is processor time, the best of several, so that whatever else
the machine does hardly counts. The plain trainer stops at the size that would take too long. The
last line is the slope of log time over log size, by least squares over the three largest sizes.
"""

import argparse
import math
import random
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fixed.table as plain
import fixed.table_torch as port

PROMPTS, WIDTH = 4, 10
SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]  # N * T


def batch(size):
    """theta, rows, tokens, old, ref, advantages, mask as lists; a tenth of the tokens padding."""
    rng = random.Random(size)
    theta = [[rng.gauss(0, 0.5) for _ in range(plain.VOCAB)] for _ in range(PROMPTS)]
    old, ref = ([[x + rng.gauss(0, 0.2) for x in row] for row in theta] for _ in range(2))
    count = size // WIDTH
    rows = [i * PROMPTS // count for i in range(count)]
    tokens = [[rng.randrange(plain.VOCAB) for _ in range(WIDTH)] for _ in rows]
    mask = [[1] * (WIDTH - i % 3) + [0] * (i % 3) for i in range(count)]
    advantages = [rng.gauss(0, 1) for _ in rows]
    logps = [plain.token_logps(policy, rows, tokens) for policy in (old, ref)]
    return theta, rows, tokens, *logps, advantages, mask


def plain_step(theta, rows, tokens, *rest):
    def loss(theta):
        return plain.grpo_loss(plain.token_logps(theta, rows, tokens), *rest)

    return loss(theta), plain.numeric_grad(loss, theta)


def torch_step(theta, rows, tokens, *rest):
    loss = port.grpo_loss(port.token_logps(theta, rows, tokens), *rest)
    return loss.item(), torch.autograd.grad(loss, theta)[0].tolist()


def as_tensors(theta, rows, tokens, *rest):
    floats = [torch.tensor(x, dtype=torch.float64) for x in (theta, *rest)]
    return floats[0].requires_grad_(), torch.tensor(rows), torch.tensor(tokens), *floats[1:]


def best_time(step, arguments, enough=0.5):
    """The shortest of at least one call, and of as many as fit into `enough` seconds."""
    times = []
    while sum(times) < enough:
        start = time.process_time()
        result = step(*arguments)
        times.append(time.process_time() - start)
    return min(times), result


def slope(times):
    """d log time / d log size over the last three sizes that were timed."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in times.items()][-3:]
    return statistics.linear_regression(*zip(*points)).slope


def difference(one, other):
    """The largest difference of two (loss, gradient)."""
    pairs = [(one[0], other[0]), *((a, b) for r, s in zip(one[1], other[1]) for a, b in zip(r, s))]
    return max(abs(a - b) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description="plain against torch, one loss and its gradient")
    parser.add_argument("--longest", type=float, default=20, help="seconds for one plain step")
    longest = parser.parse_args().longest
    torch.set_num_threads(1)
    print(f"table of {PROMPTS} x {plain.VOCAB} logits, T = {WIDTH}, ", end="")
    print(f"torch {torch.__version__}, float64, processor time on one thread\n")
    print(f"{'N*T':>9}  {'plain s':>10}  {'torch s':>10}  {'ratio':>7}  {'difference':>10}")
    times = {"plain": {}, "torch": {}}
    for size in SIZES:
        arguments = batch(size)
        seconds, found = best_time(torch_step, as_tensors(*arguments))
        times["torch"][size] = seconds
        if times["plain"] and size / max(times["plain"]) * max(times["plain"].values()) > longest:
            print(f"{size:>9}  {'-':>10}  {seconds:>10.5f}  {'-':>7}  {'-':>10}", flush=True)
            continue
        plain_seconds, expected = best_time(plain_step, arguments)
        times["plain"][size] = plain_seconds
        ratio, gap = plain_seconds / seconds, difference(found, expected)
        print(f"{size:>9}  {plain_seconds:>10.5f}  {seconds:>10.5f}  {ratio:>7.1f}  {gap:>10.1e}")
    print(f"{'slope':>9}  {slope(times['plain']):>10.2f}  {slope(times['torch']):>10.2f}")


if __name__ == "__main__":
    main()
