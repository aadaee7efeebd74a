"""Promise 1 for the lm track: the failing kata tests are exactly the planted bugs."""

import random
from itertools import combinations

import judge
import pytest
import torch

torch.set_num_threads(1)
BUGS = judge.bugs("lm")
DRAWN = random.Random(0)
SETS = {
    "none and each alone": [[], *([bug] for bug in BUGS)],
    "all and all but each": [BUGS, *([b for b in BUGS if b is not bug] for bug in BUGS)],
    **{
        f"every pair with {bug.number}": [[bug, other] for other in BUGS[n + 1 :]]
        for n, bug in enumerate(BUGS[:-1])
    },
    **{
        f"random {n}": [[bug for bug in BUGS if DRAWN.random() < 0.5] for _ in range(50)]
        for n in range(10)
    },
}


def wrongly_judged(subsets, case_seed=0):
    """The subsets whose failing tests are not just theirs, with the tests that are over or short."""
    wrong = {}
    for subset in subsets:
        wanted = {bug.name for bug in subset}
        found = judge.red(judge.planted("lm", subset), "lm", case_seed)
        if found != wanted:
            wrong[tuple(bug.number for bug in subset)] = found ^ wanted
    return wrong


@pytest.mark.parametrize("sets", SETS)
def test_every_subset_is_named_exactly(sets):
    assert wrongly_judged(SETS[sets]) == {}


@pytest.mark.parametrize("case_seed", range(1, 6))
def test_whatever_inputs_are_drawn(case_seed):
    subsets = [[], BUGS, *([bug] for bug in BUGS[case_seed % 3 :: 3])]
    assert wrongly_judged(subsets, case_seed) == {}


def test_there_are_as_many_subsets_as_promised():
    assert len(BUGS) >= 25
    pairs = [subset for name in SETS if "pair" in name for subset in SETS[name]]
    assert len({frozenset(b.number for b in pair) for pair in pairs}) == len(
        list(combinations(BUGS, 2))
    )
    assert sum(len(subsets) for name, subsets in SETS.items() if "random" in name) == 500
