"""Both twins reproduce golden_table.json, numbers computed by another trainer, to 1e-6."""

import builtins
import json
from pathlib import Path

import pytest

import buggy.table
import fixed.table

GOLDEN = json.loads(Path(__file__).with_name("golden_table.json").read_text(encoding="utf-8"))
TWINS = {"buggy": buggy.table, "fixed": fixed.table}
RUNS = [(twin, run) for twin in TWINS for run in GOLDEN[twin]]


def golden(expected):
    return pytest.approx(expected, rel=0, abs=1e-6)


def test_the_golden_file_is_complete():
    assert {part: len(cases) for part, cases in GOLDEN.items()} == {
        "buggy": 7,
        "fixed": 7,
        "grpo_loss": 12,
        "group_advantages": 8,
    }


@pytest.mark.parametrize(("twin", "run"), RUNS)
def test_train(twin, run):
    if "raises" in run:
        with pytest.raises(getattr(builtins, run["raises"])):
            TWINS[twin].train(**run["arguments"])
        return
    theta, history = TWINS[twin].train(**run["arguments"])
    assert len(theta) == len(run["theta"])
    for logits, expected in zip(theta, run["theta"]):
        assert logits == golden(expected)
    assert [entry["reward"] for entry in history] == golden(run["reward"])
    assert [entry["clip_frac"] for entry in history] == golden(run["clip_frac"])


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("case", GOLDEN["grpo_loss"])
def test_grpo_loss(twin, case):
    arrays = [case[name] for name in ("new_logps", "old_logps", "ref_logps", "advantages", "mask")]
    loss = TWINS[twin].grpo_loss(*arrays, clip_eps=case["clip_eps"], beta=case["beta"])
    assert loss == golden(case[twin])


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("case", GOLDEN["grpo_loss"])
def test_clip_fraction(twin, case):
    arrays = [case[name] for name in ("new_logps", "old_logps", "mask")]
    share = TWINS[twin].clip_fraction(*arrays, clip_eps=case["clip_eps"])
    assert share == golden(case["clip_fraction"])


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("case", GOLDEN["group_advantages"])
def test_group_advantages(twin, case):
    advantages = TWINS[twin].group_advantages(case["rewards"], case["group_size"])
    assert advantages == golden(case[twin])
