"""Shapes, dtypes and ownership in the port: arguments work or raise ValueError, and stay whole."""

import random
import re

import pytest
import torch

import buggy.table_torch
import fixed.table_torch

torch.set_num_threads(1)  # on tensors of a few dozen numbers, threads only cost

TWINS = pytest.mark.parametrize(
    "table", [buggy.table_torch, fixed.table_torch], ids=["buggy", "fixed"]
)
THETA = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, -1.0]], dtype=torch.float64)
ROWS = torch.tensor([0, 1, 1])
TOKENS = torch.tensor([[1, 2], [3, 0], [0, 0]])
REWARDS = torch.tensor([0.25, 0.5, 1.0, 0.0, 0.75, 0.5], dtype=torch.float64)
LOSS = ("new_logps", "old_logps", "ref_logps", "advantages", "mask")
LOGPS = LOSS[:3]
CLIP = ("new_logps", "old_logps", "mask")


def refuses(call, argument, value):
    """The ValueError of call() holds the argument's name and the value, as whole words."""
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert re.search(rf"\b{argument}\b", message), message
    assert re.search(rf"(?<![\w.-]){re.escape(repr(value))}(?![\w.])", message), message
    assert "\n" not in message


def loss_arguments(**changed):
    """N = 3 rows of T = 2 tokens, the last of row 1 padding; ratios 1.1, 0.5 and 1.4."""
    old = torch.tensor([[-1.0, -2.0], [-0.5, -1.5], [-0.3, -0.8]], dtype=torch.float64)
    good = {
        "new_logps": old + torch.tensor([[1.1, 0.5], [1.4, 1.0], [1.1, 0.5]]).double().log(),
        "old_logps": old,
        "ref_logps": old - 0.25,
        "advantages": torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64),
        "mask": torch.tensor([[1, 1], [1, 0], [1, 1]], dtype=torch.float64),
    }
    return {**good, **changed}


def clip_arguments(**changed):
    return {name: loss_arguments(**changed)[name] for name in CLIP}


def same(found, expected, tolerance=1e-12):
    assert found.shape == expected.shape
    assert torch.allclose(found.double(), expected.double(), rtol=tolerance, atol=tolerance)


# Shapes that would broadcast, or index, without a word.


@TWINS
@pytest.mark.parametrize("argument", LOGPS)
@pytest.mark.parametrize("shape", [(3,), (2,), (1, 2), (3, 1), (2, 3), (3, 2, 1), ()], ids=str)
def test_loss_log_probs_have_the_shape_of_the_mask(table, argument, shape):
    wrong = loss_arguments(**{argument: torch.full(shape, -1.0, dtype=torch.float64)})
    refuses(lambda: table.grpo_loss(**wrong), argument, shape)


@TWINS
@pytest.mark.parametrize("shape", [(3, 1), (1, 3), (3, 2), (2,), (1,), ()], ids=str)
def test_loss_advantages_are_one_per_row(table, shape):
    wrong = loss_arguments(advantages=torch.ones(shape, dtype=torch.float64))
    refuses(lambda: table.grpo_loss(**wrong), "advantages", shape)


@TWINS
def test_loss_advantages_as_a_column_raise_even_if_n_is_t(table):
    square = {name: torch.full((2, 2), -1.0, dtype=torch.float64) for name in LOGPS}
    for shape in ((2, 1), (1, 2)):
        refuses(
            lambda: table.grpo_loss(**square, advantages=torch.ones(shape), mask=torch.ones(2, 2)),
            "advantages",
            shape,
        )


@TWINS
@pytest.mark.parametrize("shape", [(3,), (2,), (3, 2, 1), ()], ids=str)
def test_the_mask_has_two_axes(table, shape):
    refuses(lambda: table.grpo_loss(**loss_arguments(mask=torch.ones(shape))), "mask", shape)
    refuses(lambda: table.clip_fraction(**clip_arguments(mask=torch.ones(shape))), "mask", shape)


@TWINS
@pytest.mark.parametrize("argument", CLIP[:2])
@pytest.mark.parametrize("shape", [(3,), (2,), (1, 2), (3, 1), (2, 3)], ids=str)
def test_clip_fraction_log_probs_have_the_shape_of_the_mask(table, argument, shape):
    wrong = clip_arguments(**{argument: torch.full(shape, -1.0, dtype=torch.float64)})
    refuses(lambda: table.clip_fraction(**wrong), argument, shape)


@TWINS
@pytest.mark.parametrize("shape", [(6, 1), (1, 6), (3, 2), ()], ids=str)
def test_rewards_have_one_axis(table, shape):
    refuses(lambda: table.group_advantages(torch.ones(shape), 1), "rewards", shape)


@TWINS
@pytest.mark.parametrize("shape", [(3,), (2, 2), (1, 2), (3, 2, 1)], ids=str)
def test_tokens_are_one_line_per_row(table, shape):
    wrong = torch.zeros(shape, dtype=torch.int64)
    refuses(lambda: table.token_logps(THETA, ROWS, wrong), "tokens", shape)


@TWINS
@pytest.mark.parametrize("argument", LOGPS)
def test_log_probs_are_not_whole_numbers(table, argument):
    whole = torch.full((3, 2), -1)
    refuses(lambda: table.grpo_loss(**loss_arguments(**{argument: whole})), argument, torch.int64)
    if argument in CLIP:
        call = clip_arguments(**{argument: whole})
        refuses(lambda: table.clip_fraction(**call), argument, torch.int64)


# The plain trainer's checks.


@TWINS
@pytest.mark.parametrize(
    "prompts", [(), [], (1,), (1, 0), (0, 2), (0, 0), (0, 1, 2, 4), [1, 2, 3], (-1, 0)], ids=str
)
def test_train_prompts_are_0_to_n_minus_1(table, prompts):
    refuses(lambda: table.train(steps=1, prompts=prompts), "prompts", prompts)


@TWINS
@pytest.mark.parametrize(
    ("argument", "value"),
    [("steps", -1), ("steps", 1.5), ("epochs", -1), ("epochs", 0.5), ("group_size", 0)]
    + [("group_size", -3), ("max_len", 0)],
)
def test_train_sizes(table, argument, value):
    refuses(lambda: table.train(**{"steps": 1, argument: value}), argument, value)


@TWINS
@pytest.mark.parametrize("nothing", [{"steps": 0}, {"epochs": 0, "steps": 2}], ids=str)
def test_train_of_no_steps_or_no_epochs_is_allowed(table, nothing):
    theta, history = table.train(**nothing, prompts=(0, 1), seed=3)
    assert theta.tolist() == [[0.0] * 4, [0.0] * 4]
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
def test_row_numbers_are_rows_of_theta(table, stray):
    refuses(lambda: table.rollout(THETA, (0, stray), 3, 5, random.Random(0)), "prompts", stray)
    rows = torch.tensor([0, 1, stray])
    refuses(lambda: table.token_logps(THETA, rows, TOKENS), "rows", stray)


@TWINS
@pytest.mark.parametrize(("count", "group_size"), [(5, 2), (7, 3), (1, 4), (9, 8)])
def test_rewards_are_whole_groups(table, count, group_size):
    def call():
        return table.group_advantages(torch.full((count,), 0.5), group_size)

    refuses(call, "rewards", count)
    refuses(call, "group_size", group_size)


@TWINS
@pytest.mark.parametrize("group_size", [0, -2, 2.0])
def test_advantages_group_size(table, group_size):
    refuses(lambda: table.group_advantages(REWARDS, group_size), "group_size", group_size)


# Index tensors of the wrong kind: torch's own error, or none, where requirement 1 wants a sentence.


@TWINS
@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("tokens", TOKENS.double()),
        ("tokens", TOKENS.bool()),
        ("rows", ROWS.double()),
        ("rows", torch.tensor([True, True, True])),
        ("rows", ROWS.unsqueeze(1)),
        ("theta", THETA[0]),
    ],
    ids=["float_tokens", "bool_tokens", "float_rows", "bool_rows", "rows_N_1", "theta_V"],
)
def test_index_tensors_of_the_wrong_kind(table, argument, wrong):
    arguments = {"theta": THETA, "rows": ROWS, "tokens": TOKENS, argument: wrong}
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        table.token_logps(**arguments)


# What works, and agrees.


@TWINS
@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.uint8, torch.float32], ids=str)
def test_a_mask_of_any_dtype(table, dtype):
    mask = loss_arguments()["mask"].to(dtype)
    expected = table.grpo_loss(**loss_arguments())
    same(table.grpo_loss(**loss_arguments(mask=mask)), expected)
    same(table.clip_fraction(**clip_arguments(mask=mask)), table.clip_fraction(**clip_arguments()))


@TWINS
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.bool, torch.float32], ids=str)
def test_rewards_of_any_dtype(table, dtype):
    rewards = torch.tensor([1, 0, 0, 1, 1, 0])
    found = table.group_advantages(rewards.to(dtype), 3)
    assert found.dtype == torch.float64
    same(found, table.group_advantages(rewards.double(), 3))


@TWINS
def test_whole_number_advantages(table):
    whole = loss_arguments()["advantages"].long()
    expected = table.grpo_loss(**loss_arguments())
    same(table.grpo_loss(**loss_arguments(advantages=whole)), expected)


@TWINS
def test_float32(table):
    """Rounded to 2^-24 = 6e-8; a hundred times that is left for sums of a few numbers."""
    narrow = {name: tensor.float() for name, tensor in loss_arguments().items()}
    same(table.grpo_loss(**narrow), table.grpo_loss(**loss_arguments()), 6e-6)
    found = table.clip_fraction(*(narrow[name] for name in CLIP))
    same(found, table.clip_fraction(**clip_arguments()))
    found = table.token_logps(THETA.float(), ROWS, TOKENS)
    same(found, table.token_logps(THETA, ROWS, TOKENS), 6e-6)
    same(table.log_softmax(THETA.float()), table.log_softmax(THETA), 6e-6)


def strided(tensor):
    """The same values, in every second place of a larger tensor, its axes in reverse order."""
    wide = torch.zeros([2 * n for n in reversed(tensor.shape)], dtype=tensor.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in tensor.shape)].permute(
        *reversed(range(tensor.dim()))
    )
    view.copy_(tensor)
    assert not view.is_contiguous() and torch.equal(view, tensor)
    return view


@TWINS
def test_tensors_that_are_not_contiguous(table):
    scattered = {name: strided(tensor) for name, tensor in loss_arguments().items()}
    same(table.grpo_loss(**scattered), table.grpo_loss(**loss_arguments()))
    found = table.clip_fraction(*(scattered[name] for name in CLIP))
    same(found, table.clip_fraction(**clip_arguments()))
    same(table.group_advantages(strided(REWARDS), 3), table.group_advantages(REWARDS, 3))
    found = table.token_logps(strided(THETA), strided(ROWS), strided(TOKENS))
    same(found, table.token_logps(THETA, ROWS, TOKENS))
    same(table.log_softmax(strided(THETA)), table.log_softmax(THETA))
    drawn = table.rollout(strided(THETA), (0, 1), 3, 5, random.Random(4))
    for found, expected in zip(drawn, table.rollout(THETA, (0, 1), 3, 5, random.Random(4))):
        assert torch.equal(found, expected)


@TWINS
def test_what_comes_out(table):
    """Shapes and dtypes of the docstrings; a gradient only where one is promised."""
    theta = THETA.clone().requires_grad_()
    rows, tokens, mask, rewards = table.rollout(theta, (0, 1), 3, 5, random.Random(4))
    assert rows.shape == rewards.shape == (6,) and tokens.shape == mask.shape
    assert rows.dtype == tokens.dtype == torch.int64
    assert mask.dtype == rewards.dtype == torch.float64
    assert table.token_logps(theta, rows, tokens).requires_grad
    assert not table.group_advantages(rewards.requires_grad_(), 3).requires_grad
    arguments = loss_arguments()
    arguments["new_logps"].requires_grad_()
    assert table.grpo_loss(**arguments).requires_grad
    assert not table.clip_fraction(*(arguments[name] for name in CLIP)).requires_grad
    trained, history = table.train(steps=1, prompts=(0, 1), seed=1)
    assert trained.shape == (2, 4) and trained.dtype == torch.float64 and not trained.requires_grad
    assert [{type(x) for x in entry.values()} for entry in history] == [{float}]


CALLS = {
    "log_softmax": lambda: [THETA],
    "token_logps": lambda: [THETA, ROWS, TOKENS],
    "group_advantages": lambda: [REWARDS, 3],
    "grpo_loss": lambda: list(loss_arguments().values()),
    "clip_fraction": lambda: list(clip_arguments().values()),
    "rollout": lambda: [THETA, [0, 1], 3, 5, random.Random(0)],
}


@TWINS
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("carries_gradient", [False, True])
def test_nothing_the_caller_owns_is_changed(table, name, carries_gradient):
    given = [x.clone() if isinstance(x, torch.Tensor) else x for x in CALLS[name]()]
    tensors = [x for x in given if isinstance(x, torch.Tensor)]
    if carries_gradient and name != "group_advantages":
        tensors[0].requires_grad_()
    before = [(x.detach().clone(), x.shape, x._version, x.requires_grad) for x in tensors]
    result = getattr(table, name)(*given)
    if isinstance(result, torch.Tensor) and result.requires_grad:
        result.sum().backward()
    for x, (values, shape, version, requires_grad) in zip(tensors, before, strict=True):
        assert torch.equal(x.detach(), values)
        assert (x.shape, x._version, x.requires_grad) == (shape, version, requires_grad)
    assert given[1] == [0, 1] if name == "rollout" else True
