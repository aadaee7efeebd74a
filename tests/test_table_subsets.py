"""Promise 1: whatever is planted, the failing kata tests are exactly the planted bugs."""

from itertools import combinations

import judge
import pytest
import torch

torch.set_num_threads(1)  # on tensors of a few dozen numbers, threads only cost

TRAINERS = ("table", "table_torch")
BUGS = judge.bugs("table")
SUBSETS = [subset for size in range(8) for subset in combinations(BUGS, size)]
SEEDS = [*(("table", n) for n in range(1, 21)), *(("table_torch", n) for n in range(1, 4))]


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda s: ",".join(str(b.number) for b in s) or "0")
@pytest.mark.parametrize("trainer", TRAINERS)
def test_every_subset_is_named_exactly(trainer, subset):
    text = judge.planted(trainer, list(subset))
    assert judge.red(text, trainer) == {bug.name for bug in subset}


@pytest.mark.parametrize(("trainer", "case_seed"), SEEDS)
def test_whatever_inputs_are_drawn(trainer, case_seed):
    chosen = [[], BUGS, *([bug] for bug in BUGS), *([b for b in BUGS if b is not a] for a in BUGS)]
    for subset in chosen:
        text = judge.planted(trainer, subset)
        assert judge.red(text, trainer, case_seed) == {bug.name for bug in subset}


def test_there_are_128_subsets_and_the_port_has_the_same_bugs():
    assert len(SUBSETS) == len(set(SUBSETS)) == 128
    assert judge.bugs("table_torch") == BUGS
