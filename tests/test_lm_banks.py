"""Promise 2 in the lm track: every right fix passes and every near miss fails."""

from collections import Counter

import judge
import pytest
import torch
from near_misses_lm import NEAR_MISSES, UNGUARDED

CORRECT = sorted((judge.ROOT / "tests" / "correct" / "lm").glob("*.py"))
torch.set_num_threads(1)


def laid_over_fixed(path):
    return judge.fixed("lm") + "\n" + path.read_text(encoding="utf-8")


def named(miss):
    return f"{miss.bug}-{miss.name}"


def with_the_mistake(miss):
    fixed = judge.fixed("lm")
    assert fixed.count(miss.old) == 1
    assert "\n" + miss.old in fixed and miss.old.endswith("\n")
    return fixed.replace(miss.old, miss.new)


@pytest.mark.parametrize("case_seed", (0, 1))
@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.stem)
def test_a_correct_solution_passes(path, case_seed):
    assert judge.messages(laid_over_fixed(path), "lm", case_seed) == {}


@pytest.mark.parametrize("miss", NEAR_MISSES, ids=named)
def test_a_near_miss_turns_its_test_red(miss):
    expected = "decoys" if miss.bug == "decoy" else miss.bug
    assert expected in judge.red(with_the_mistake(miss), "lm")


@pytest.mark.parametrize("miss", UNGUARDED, ids=named)
def test_an_unguarded_mistake_still_applies(miss):
    compile(with_the_mistake(miss), miss.name, "exec")


def test_the_banks_are_as_large_as_they_claim():
    assert len(CORRECT) >= 22
    assert len(NEAR_MISSES) >= 90
    assert len({*map(named, NEAR_MISSES + UNGUARDED)}) == len(NEAR_MISSES + UNGUARDED)
    of_bug = Counter(miss.bug for miss in NEAR_MISSES)
    assert all(of_bug[bug.name] >= 2 for bug in judge.bugs("lm"))
    assert set(of_bug) <= {bug.name for bug in judge.bugs("lm")} | {"decoy"}
