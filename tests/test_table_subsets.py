"""Promise 1: whatever is planted, the failing kata tests are exactly the planted bugs."""

from itertools import combinations

import judge
import pytest

BUGS = judge.bugs("table")
SUBSETS = [subset for size in range(8) for subset in combinations(BUGS, size)]


@pytest.mark.parametrize("subset", SUBSETS, ids=lambda s: ",".join(str(b.number) for b in s) or "0")
def test_every_subset_is_named_exactly(subset):
    assert judge.red(judge.planted("table", list(subset))) == {bug.name for bug in subset}


@pytest.mark.parametrize("case_seed", range(1, 21))
def test_whatever_inputs_are_drawn(case_seed):
    chosen = [[], BUGS, *([bug] for bug in BUGS), *([b for b in BUGS if b is not a] for a in BUGS)]
    for subset in chosen:
        text = judge.planted("table", subset)
        assert judge.red(text, case_seed=case_seed) == {bug.name for bug in subset}


def test_there_are_128_subsets():
    assert len(SUBSETS) == len(set(SUBSETS)) == 128
