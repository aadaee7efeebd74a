"""Bad arguments raise a ValueError that names the argument and its value, in both twins."""

import random
import re

import pytest

import buggy.table
import fixed.table

TWINS = pytest.mark.parametrize("table", [buggy.table, fixed.table], ids=["buggy", "fixed"])
THETA = [[0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, -1.0]]
BATCH = ("new_logps", "old_logps", "ref_logps", "mask")  # all (N, T)


def refuses(call, argument, value):
    """The ValueError of call() holds the argument's name and the value, as whole words."""
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert re.search(rf"\b{argument}\b", message), message
    assert re.search(rf"(?<![\w.-]){re.escape(repr(value))}(?![\w.])", message), message
    assert "\n" not in message


def loss_arguments(**changed):
    """Two rows of three tokens for grpo_loss."""
    good = {name: [[-1.0, -2.0, -0.5], [-0.3, -1.2, -0.7]] for name in BATCH[:3]}
    return {**good, "mask": [[1, 1, 1], [1, 1, 0]], "advantages": [1.0, -1.0], **changed}


@TWINS
@pytest.mark.parametrize(
    "prompts", [(), [], (1,), (1, 0), (0, 2), (0, 0), (0, 1, 2, 4), [1, 2, 3], (-1, 0)], ids=str
)
def test_train_prompts_are_0_to_n_minus_1(table, prompts):
    refuses(lambda: table.train(steps=1, prompts=prompts), "prompts", prompts)


@TWINS
@pytest.mark.parametrize(
    ("argument", "value"),
    [("steps", -1), ("epochs", -1), ("group_size", 0), ("group_size", -3), ("max_len", 0)],
)
def test_train_sizes(table, argument, value):
    refuses(lambda: table.train(**{"steps": 1, argument: value}), argument, value)


@TWINS
@pytest.mark.parametrize(("argument", "value"), [("steps", 1.5), ("epochs", 0.5)])
def test_train_sizes_are_whole(table, argument, value):
    refuses(lambda: table.train(**{argument: value}), argument, value)


@TWINS
@pytest.mark.parametrize("nothing", [{"steps": 0}, {"epochs": 0, "steps": 2}], ids=str)
def test_train_of_no_steps_or_no_epochs_is_allowed(table, nothing):
    theta, history = table.train(**nothing, prompts=(0, 1), seed=3)
    assert theta == [[0.0] * 4, [0.0] * 4]
    assert [entry["clip_frac"] for entry in history] == [0.0] * nothing["steps"]


@TWINS
@pytest.mark.parametrize(
    ("argument", "value"), [("group_size", 0), ("group_size", -1), ("max_len", 0), ("max_len", -2)]
)
def test_rollout_sizes(table, argument, value):
    sizes = {"group_size": 3, "max_len": 5, argument: value}
    refuses(lambda: table.rollout(THETA, (0, 1), rng=random.Random(0), **sizes), argument, value)


@TWINS
@pytest.mark.parametrize("stray", [2, 7, -1])
def test_rollout_prompts_have_a_row_in_theta(table, stray):
    refuses(lambda: table.rollout(THETA, (0, stray), 3, 5, random.Random(0)), "prompts", stray)


@TWINS
@pytest.mark.parametrize(("count", "group_size"), [(5, 2), (7, 3), (1, 4), (9, 8)])
def test_rewards_are_whole_groups(table, count, group_size):
    def call():
        return table.group_advantages([0.5] * count, group_size)

    refuses(call, "rewards", count)
    refuses(call, "group_size", group_size)


@TWINS
@pytest.mark.parametrize("group_size", [0, -2])
def test_advantages_group_size(table, group_size):
    refuses(lambda: table.group_advantages([0.5, 1.0], group_size), "group_size", group_size)


@TWINS
@pytest.mark.parametrize("argument", BATCH)
def test_loss_rows_of_different_widths(table, argument):
    ragged = loss_arguments(**{argument: [[1, 1, 1], [1, 1]]})
    refuses(lambda: table.grpo_loss(**ragged), argument, [2, 3])


@TWINS
@pytest.mark.parametrize("argument", BATCH)
def test_loss_arrays_of_different_widths(table, argument):
    narrow = loss_arguments(**{argument: [[1, 1], [1, 1]]})
    refuses(lambda: table.grpo_loss(**narrow), argument, [2])


@TWINS
@pytest.mark.parametrize("argument", BATCH)
def test_loss_one_row_per_advantage(table, argument):
    short = loss_arguments(**{argument: [[1, 1, 1]]})
    refuses(lambda: table.grpo_loss(**short), argument, 1)


@TWINS
def test_loss_one_advantage_per_row(table):
    refuses(lambda: table.grpo_loss(**loss_arguments(advantages=[1.0] * 5)), "new_logps", 2)


@TWINS
@pytest.mark.parametrize("argument", ["new_logps", "old_logps", "mask"])
def test_clip_fraction_rows_of_different_widths(table, argument):
    arrays = {name: [[1, 1, 1], [1, 1, 1]] for name in ("new_logps", "old_logps", "mask")}
    arrays[argument] = [[1, 1, 1], [1, 1]]
    refuses(lambda: table.clip_fraction(**arrays), argument, [2, 3])


@TWINS
@pytest.mark.parametrize("argument", ["new_logps", "old_logps"])
def test_clip_fraction_one_row_per_mask_row(table, argument):
    arrays = {name: [[1, 1, 1], [1, 1, 1]] for name in ("new_logps", "old_logps", "mask")}
    arrays[argument] = [[1, 1, 1]] * 5
    refuses(lambda: table.clip_fraction(**arrays), argument, 5)


@TWINS
def test_token_logps_rows_of_different_widths(table):
    refuses(lambda: table.token_logps(THETA, [0, 1], [[1, 2, 3], [1, 2]]), "tokens", [2, 3])


@TWINS
def test_token_logps_one_row_number_per_row(table):
    refuses(lambda: table.token_logps(THETA, [0, 1, 1], [[1, 2], [1, 2]]), "tokens", 2)


@TWINS
@pytest.mark.parametrize("stray", [2, 9, -1])
def test_token_logps_rows_are_rows_of_theta(table, stray):
    refuses(lambda: table.token_logps(THETA, [0, stray], [[1, 2], [1, 2]]), "rows", stray)
