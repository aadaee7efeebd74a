"""fixed/lm.py against fixed/table.py and the numpy oracle: the same numbers, to 1e-6 in float64.

The table of logits becomes a policy of fixed/lm.py that looks the row up by the first token.
"""

import numpy as np
import oracle
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fixed import lm, table

torch.set_num_threads(1)

stable = settings(derandomize=True, deadline=None, database=None, max_examples=40)
floats = st.floats(-3, 3)
V = table.VOCAB


def close(expected, rtol=1e-6, atol=1e-10):
    return pytest.approx(np.asarray(expected), rel=rtol, abs=atol)


def double(array):
    return torch.tensor(array, dtype=torch.float64)


@st.composite
def batches(draw):
    """theta (B, V), rows (N,), tokens, old, ref (N, T), advantages (N,), ragged mask (N, T)."""
    prompts, group_size = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    count, width = prompts * group_size, draw(st.integers(1, 4))

    def array(elements, *shape):
        size = int(np.prod(shape))
        return np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape)

    theta, rows = array(floats, prompts, V), np.repeat(np.arange(prompts), group_size)
    tokens = array(st.integers(0, V - 1), count, width)
    base = oracle.token_logps(theta, rows, tokens)
    # Log-ratios of up to 1 and reference gaps of up to 3: on both sides of the clip range.
    old = base + array(st.floats(-1, 1), count, width)
    ref = base + array(floats, count, width)
    lengths = array(st.integers(0, width), count)
    mask = (np.arange(width) < lengths[:, None]).astype(int)
    return theta, rows, tokens, old, ref, array(floats, count), mask


clips, betas = st.sampled_from([0.1, 0.2, 0.5]), st.sampled_from([0.0, 0.04, 1.0])


def policy_of(theta):
    """theta (B, V), a leaf, as a policy: the logits of every position are those of its prompt."""

    def policy(tokens, attention_mask, position_ids):
        return theta[tokens[:, :1]].expand(*tokens.shape, -1)

    return policy


def scored(theta, rows, tokens):
    """token_logps of fixed/lm.py: the prompt is one token, the number of its row."""
    everything = torch.tensor(np.concatenate([rows[:, None], tokens], axis=1))
    return lm.token_logps(
        policy_of(theta), everything, torch.ones_like(everything), tokens.shape[1]
    )


def away_from_the_edges(new, old, clip_eps):
    """Central differences mean nothing at a kink, where one step crosses it."""
    ratio = np.exp(new - old)
    return min(np.abs(ratio - 1 - clip_eps).min(), np.abs(ratio - 1 + clip_eps).min()) > 1e-2


@stable
@given(st.integers(1, 5), st.integers(1, 4), st.data())
def test_group_advantages(group_size, groups, data):
    rewards = data.draw(
        st.lists(floats, min_size=group_size * groups, max_size=group_size * groups)
    )
    ours = lm.group_advantages(double(rewards), group_size)
    assert ours.dtype == torch.float64 and not ours.requires_grad
    # Nearly tied rewards divide rounding errors of 1e-15 by eps = 1e-6.
    assert ours.numpy() == close(oracle.advantages(np.array(rewards), group_size), atol=1e-8)
    assert ours.numpy() == close(table.group_advantages(rewards, group_size), atol=1e-8)


@stable
@given(st.lists(st.integers(0, 20), min_size=12, max_size=12), st.sampled_from([1e-6, 1e-3, 0.5]))
@example([0, 20, 20, 20, 7, 7, 7, 7, 1, 2, 3, 4], 1e-6)
def test_group_advantages_with_another_eps(twentieths, eps):
    """Rewards in twentieths, so that two of them are equal or .05 apart."""
    rewards = [number / 20 for number in twentieths]
    ours = lm.group_advantages(double(rewards), 4, eps).numpy()
    assert ours == close(oracle.advantages(np.array(rewards), 4, eps), atol=1e-9)
    assert ours == close(table.group_advantages(rewards, 4, eps), atol=1e-9)


@stable
@given(batches())
def test_token_logps(batch):
    theta, rows, tokens, *_ = batch
    ours = scored(double(theta), rows, tokens).numpy()
    assert ours == close(oracle.token_logps(theta, rows, tokens))
    assert ours == close(table.token_logps(theta.tolist(), rows.tolist(), tokens.tolist()))


@stable
@given(batches(), clips, betas, st.booleans())
def test_grpo_loss_and_its_slope(batch, clip_eps, beta, boolean_mask):
    theta, rows, tokens, old, ref, advantages, mask = batch
    new = oracle.token_logps(theta, rows, tokens)
    constants = old, ref, advantages, mask
    leaf, *others = [double(array).requires_grad_() for array in (new, old, ref)]
    given_mask = torch.tensor(mask) > 0 if boolean_mask else torch.tensor(mask)
    loss = lm.grpo_loss(leaf, *others, double(advantages), given_mask, clip_eps, beta)
    loss.backward()
    assert all(constant.grad is None for constant in others)
    listed = [array.tolist() for array in (new, *constants)]
    assert loss.item() == close(oracle.loss(new, *constants, clip_eps, beta))
    assert loss.item() == close(table.grpo_loss(*listed, clip_eps, beta))
    assert leaf.grad.numpy() == close(oracle.loss_slope(new, *constants, clip_eps, beta))


@stable
@given(batches(), clips, betas)
def test_the_gradient_of_the_loss_in_the_logits(batch, clip_eps, beta):
    """Autograd against the oracle's Jacobian, 1e-6; against the table's differences, 1e-4.

    Central differences with h = 1e-4 are off by h^2 / 6 times a third derivative of less than 1e3.
    """
    theta, rows, tokens, old, ref, advantages, mask = batch
    new = oracle.token_logps(theta, rows, tokens)
    assume(away_from_the_edges(new, old, clip_eps))
    leaf = double(theta).requires_grad_()
    constants = old, ref, advantages, mask
    tensors = [*map(double, constants[:3]), torch.tensor(mask)]
    lm.grpo_loss(scored(leaf, rows, tokens), *tensors, clip_eps, beta).backward()
    expected = oracle.loss_gradient(theta, rows, tokens, *constants, clip_eps, beta)
    assert leaf.grad.numpy() == close(expected)
    listed = [array.tolist() for array in constants]

    def loss(logits):
        logps = table.token_logps(logits, rows.tolist(), tokens.tolist())
        return table.grpo_loss(logps, *listed, clip_eps, beta)

    assert leaf.grad.numpy() == close(table.numeric_grad(loss, theta.tolist()), 1e-4, 1e-5)


@stable
@given(batches(), clips)
def test_clip_fraction(batch, clip_eps):
    theta, rows, tokens, old, _, _, mask = batch
    new = oracle.token_logps(theta, rows, tokens)
    assume(away_from_the_edges(new, old, clip_eps))
    ours = lm.clip_fraction(double(new), double(old), torch.tensor(mask), clip_eps)
    assert ours == close(oracle.clip_fraction(new, old, mask, clip_eps))
    assert ours == close(table.clip_fraction(new.tolist(), old.tolist(), mask.tolist(), clip_eps))


@pytest.mark.parametrize("advantage", [3.0, -3.0])
@pytest.mark.parametrize("ratio", [0.5, 0.9, 1.7])
def test_the_surrogate_on_both_sides_of_the_range(advantage, ratio):
    """sign(A) x {below, inside, above}: all agree on the value and on where the slope stops."""
    new, old = np.log([[ratio, 1.0]]) - 5, np.full((1, 2), -5.0)
    constants = old, new, np.array([advantage]), np.array([[1, 0]])
    leaf = double(new).requires_grad_()
    loss = lm.grpo_loss(leaf, *map(double, constants[:3]), torch.tensor([[1, 0]]), 0.3, 0.5)
    loss.backward()
    binds = ratio > 1.3 if advantage > 0 else ratio < 0.7
    value = min(max(ratio, 0.7), 1.3) if binds else ratio
    assert loss.item() == close(-value * advantage)
    assert leaf.grad.numpy() == close([[0 if binds else -ratio * advantage, 0]])
    assert loss.item() == close(oracle.loss(new, *constants, 0.3, 0.5))
    listed = [array.tolist() for array in (new, *constants)]
    assert loss.item() == close(table.grpo_loss(*listed, 0.3, 0.5))
