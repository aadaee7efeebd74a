"""Both fixed trainers agree with the numpy oracle: values, and gradients by the logits."""

from dataclasses import dataclass

import numpy as np
import oracle
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fixed.table as plain
import fixed.table_torch as port

torch.set_num_threads(1)  # on tensors of a few dozen numbers, threads only cost

stable = settings(derandomize=True, deadline=None, database=None, max_examples=40)
ARRAYS = ("theta", "rows", "tokens", "old", "ref", "advantages", "mask")
LOSS_KWARGS = st.sampled_from([{}, {"clip_eps": 0.1, "beta": 0.5}, {"clip_eps": 0.4, "beta": 0.0}])


@dataclass
class Batch:
    """One batch as numpy arrays, and as what either trainer takes."""

    theta: np.ndarray
    rows: np.ndarray
    tokens: np.ndarray
    old: np.ndarray
    ref: np.ndarray
    advantages: np.ndarray
    mask: np.ndarray

    def arrays(self):
        return [getattr(self, name) for name in ARRAYS]

    def lists(self):
        return [array.tolist() for array in self.arrays()]

    def tensors(self):
        return [torch.tensor(array) for array in self.arrays()]


@st.composite
def batches(draw):
    """2 or 3 prompts, up to 5 rows, in any order; old and ref are policies near to theta."""
    prompts, count, width = (
        draw(st.integers(2, 3)),
        draw(st.integers(1, 5)),
        draw(st.integers(1, 4)),
    )

    def array(elements, *shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape)

    theta = array(st.floats(-2, 2), prompts, 4)
    rows, tokens = array(st.integers(0, prompts - 1), count), array(st.integers(0, 3), count, width)
    old, ref = (theta + array(st.floats(-1, 1), prompts, 4) for _ in range(2))
    lengths = array(st.integers(1, width), count)
    return Batch(
        theta,
        rows,
        tokens,
        oracle.token_logps(old, rows, tokens),
        oracle.token_logps(ref, rows, tokens),
        array(st.floats(-2, 2), count),
        (np.arange(width) < lengths[:, None]).astype(float),
    )


def assume_away_from_the_kinks(ratio, clip_eps=0.2, **_):
    """No ratio within 1e-2 of the ends of the clip range, where the slope jumps."""
    assume(np.all(np.abs(np.abs(ratio - 1) - clip_eps) > 1e-2))


def ratios(batch):
    return np.exp(oracle.token_logps(batch.theta, batch.rows, batch.tokens) - batch.old)


def close(expected, relative=1e-9, absolute=1e-12):
    return pytest.approx(np.asarray(expected), rel=relative, abs=absolute)


@stable
@given(batches())
def test_token_logps(batch):
    expected = oracle.token_logps(batch.theta, batch.rows, batch.tokens)
    assert np.array(plain.token_logps(*batch.lists()[:3])) == close(expected)
    assert port.token_logps(*batch.tensors()[:3]).numpy() == close(expected)


@stable
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_group_advantages(groups, size, data):
    twentieths = st.integers(0, 20).map(lambda n: n / 20)
    count = groups * size
    rewards = np.array(data.draw(st.lists(twentieths, min_size=count, max_size=count)))
    # The mean of equal rewards is off by less than 1e-15, which eps turns into 1e-9.
    expected = close(oracle.advantages(rewards, size), absolute=1e-9)
    assert np.array(plain.group_advantages(rewards.tolist(), size)) == expected
    assert port.group_advantages(torch.tensor(rewards), size).numpy() == expected


@stable
@given(batches(), LOSS_KWARGS)
def test_loss_and_clip_fraction(batch, loss_kwargs):
    assume_away_from_the_kinks(ratios(batch), **loss_kwargs)
    new = oracle.token_logps(batch.theta, batch.rows, batch.tokens)
    arrays = [new, *batch.arrays()[3:]]
    lists, tensors = [a.tolist() for a in arrays], [torch.tensor(a) for a in arrays]
    expected = oracle.loss(*arrays, **loss_kwargs)
    assert plain.grpo_loss(*lists, **loss_kwargs) == close(expected)
    assert port.grpo_loss(*tensors, **loss_kwargs).item() == close(expected)
    clip_eps = loss_kwargs.get("clip_eps", 0.2)
    share = oracle.clip_fraction(new, batch.old, batch.mask, clip_eps)
    assert plain.clip_fraction(lists[0], lists[1], lists[4], clip_eps) == close(share)
    assert port.clip_fraction(tensors[0], tensors[1], tensors[4], clip_eps).item() == close(share)


@stable
@given(batches(), LOSS_KWARGS)
def test_gradient(batch, loss_kwargs):
    assume_away_from_the_kinks(ratios(batch), **loss_kwargs)
    expected = oracle.loss_gradient(*batch.arrays(), **loss_kwargs)

    theta, rows, tokens, *rest = batch.lists()
    slope = plain.numeric_grad(
        lambda t: plain.grpo_loss(plain.token_logps(t, rows, tokens), *rest, **loss_kwargs), theta
    )
    # Off by h^2 / 6 = 2e-9 times the third derivative, a mean of terms of up to A e^2 = 15.
    assert np.array(slope) == close(expected, 1e-5, 1e-6)

    theta, rows, tokens, *rest = batch.tensors()
    theta.requires_grad_()
    loss = port.grpo_loss(port.token_logps(theta, rows, tokens), *rest, **loss_kwargs)
    (grad,) = torch.autograd.grad(loss, theta)
    assert grad.numpy() == close(expected)


@pytest.mark.parametrize(
    ("advantage", "ratio", "loss", "slope"),
    [
        (3.0, 0.5, -1.5, -1.5),  # below the range, and worse: -r A, with slope -r A
        (3.0, 1.1, -3.3, -3.3),
        (3.0, 1.5, -3.6, 0.0),  # above the range, and better: -(1 + 0.2) A, flat
        (-3.0, 0.5, 2.4, 0.0),  # below the range, and better: -(1 - 0.2) A, flat
        (-3.0, 1.1, 3.3, 3.3),
        (-3.0, 1.5, 4.5, 4.5),
    ],
)
def test_the_oracle_by_hand(advantage, ratio, loss, slope):
    """One token of four, uniform policy: d log pi(2) / d theta = (-1/4, -1/4, 3/4, -1/4)."""
    theta, rows, tokens = np.zeros((1, 4)), np.array([0]), np.array([[2]])
    new = np.array([[-np.log(4)]])
    old, adv, mask = new - np.log(ratio), np.array([advantage]), np.ones((1, 1))
    assert oracle.token_logps(theta, rows, tokens) == close(new)
    assert oracle.loss(new, old, new, adv, mask) == close(loss)
    found = oracle.loss_gradient(theta, rows, tokens, old, new, adv, mask)
    assert found == close(slope * np.array([[-0.25, -0.25, 0.75, -0.25]]))


def test_the_penalty_of_the_oracle_by_hand():
    """pi = 1/4, ref = 1/2: delta = log 2, k3 = 2 - log 2 - 1, d k3 / d new = 1 - 2 = -1."""
    theta, rows, tokens = np.zeros((1, 4)), np.array([0]), np.array([[1]])
    new, ref, zero, one = np.log([[0.25]]), np.log([[0.5]]), np.zeros(1), np.ones((1, 1))
    assert oracle.loss(new, new, ref, zero, one, beta=0.3) == close(0.3 * (1 - np.log(2)))
    found = oracle.loss_gradient(theta, rows, tokens, new, ref, zero, one, beta=0.3)
    assert found == close(-0.3 * np.array([[-0.25, 0.75, -0.25, -0.25]]))


def test_the_advantages_of_the_oracle_by_hand():
    """(0, 1) has mean 1/2 and std 1/2; (2, 2) is tied."""
    found = oracle.advantages(np.array([0.0, 1.0, 2.0, 2.0]), 2, eps=0.5)
    assert found == close([-0.5, 0.5, 0, 0])
