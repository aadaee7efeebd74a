"""Promise 2: every right fix passes and every near miss fails, in plain Python and torch."""

import judge
import near_misses_table
import near_misses_table_torch
import pytest
import torch

torch.set_num_threads(1)  # on tensors of a few dozen numbers, threads only cost

CORRECT = {
    trainer: sorted((judge.ROOT / "tests" / "correct" / trainer).glob("*.py"))
    for trainer in ("table", "table_torch")
}
NEAR_MISSES = {
    "table": near_misses_table.NEAR_MISSES,
    "table_torch": near_misses_table_torch.NEAR_MISSES,
}


def cases(bank, name):
    """A pytest parameter per trainer and entry of its bank."""
    return [
        pytest.param(trainer, entry, id=f"{trainer}-{getattr(entry, name)}")
        for trainer, entries in bank.items()
        for entry in entries
    ]


def laid_over_fixed(trainer, path):
    return judge.fixed(trainer) + "\n" + path.read_text(encoding="utf-8")


@pytest.mark.parametrize("case_seed", (0, 1))
@pytest.mark.parametrize(("trainer", "path"), cases(CORRECT, "stem"))
def test_a_correct_solution_passes(trainer, path, case_seed):
    assert judge.messages(laid_over_fixed(trainer, path), trainer, case_seed) == {}


@pytest.mark.parametrize(("trainer", "miss"), cases(NEAR_MISSES, "name"))
def test_a_near_miss_turns_its_test_red(trainer, miss):
    assert judge.fixed(trainer).count(miss.old) == 1
    text = judge.fixed(trainer).replace(miss.old, miss.new)
    expected = "decoys" if miss.bug == "decoy" else miss.bug
    assert expected in judge.red(text, trainer)


@pytest.mark.parametrize(
    ("trainer", "correct", "misses"), [("table", 12, 50), ("table_torch", 16, 40)]
)
def test_the_banks_are_as_large_as_they_claim(trainer, correct, misses):
    names = [miss.name for miss in NEAR_MISSES[trainer]]
    assert len(CORRECT[trainer]) >= correct
    assert len(names) == len(set(names)) >= misses
