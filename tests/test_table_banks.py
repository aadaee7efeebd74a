"""Promise 2: every right fix passes and every near miss fails."""

import judge
import pytest
from near_misses_table import NEAR_MISSES

CORRECT = sorted((judge.ROOT / "tests" / "correct" / "table").glob("*.py"))


def laid_over_fixed(path):
    return judge.fixed("table") + "\n" + path.read_text(encoding="utf-8")


@pytest.mark.parametrize("case_seed", (0, 1))
@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.stem)
def test_a_correct_solution_passes(path, case_seed):
    assert judge.messages(laid_over_fixed(path), case_seed=case_seed) == {}


@pytest.mark.parametrize("miss", NEAR_MISSES, ids=lambda miss: miss.name)
def test_a_near_miss_turns_its_test_red(miss):
    assert judge.fixed("table").count(miss.old) == 1
    text = judge.fixed("table").replace(miss.old, miss.new)
    expected = "decoys" if miss.bug == "decoy" else miss.bug
    assert expected in judge.red(text)


def test_the_banks_are_as_large_as_they_claim():
    assert len(CORRECT) >= 12
    assert len(NEAR_MISSES) >= 50
    assert len({miss.name for miss in NEAR_MISSES}) == len(NEAR_MISSES)
