"""Properties of fixed/table.py: the policy, the rollout, the gradient and train."""

import math
import random
import statistics

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixed.table import (
    PAD,
    VOCAB,
    clip_fraction,
    descend,
    group_advantages,
    grpo_loss,
    log_softmax,
    numeric_grad,
    rollout,
    target,
    token_logps,
    train,
)

stable = settings(derandomize=True, deadline=None, database=None, max_examples=40)
brief = settings(stable, max_examples=8)
logits = st.lists(st.floats(-3, 3), min_size=VOCAB, max_size=VOCAB)
policies = st.lists(logits, min_size=2, max_size=3)
seeds = st.integers(0, 999)


def close(expected, tolerance=1e-9):
    return pytest.approx(expected, rel=tolerance, abs=tolerance)


@stable
@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=6), st.floats(-1e3, 1e3))
@example([1000.0, 0.0, -1000.0], 0.0)
@example([-1000.0, -1000.0, -1000.0], 0.0)
@example([0.0, 0.0, 0.0, 0.0], 500.0)
def test_log_softmax_is_normalised_and_stable(row, shift):
    """Exponentials sum to 1, differences of logits stay, and a common shift drops out."""
    out = log_softmax(row)
    assert math.fsum(math.exp(x) for x in out) == close(1)
    assert [x - out[0] for x in out] == close([x - row[0] for x in row])
    assert log_softmax([x + shift for x in row]) == close(out)


@stable
@given(policies, st.data())
def test_token_logps_are_the_logs_of_the_softmax(theta, data):
    numbers = st.integers(0, len(theta) - 1)
    rows = data.draw(st.lists(numbers, min_size=1, max_size=5))
    tokens = [data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)) for _ in rows]
    found = token_logps(theta, rows, tokens)
    for row, line, values in zip(rows, tokens, found, strict=True):
        weights = [math.exp(x) for x in theta[row]]
        assert values == close([math.log(weights[token] / sum(weights)) for token in line])


@stable
@given(policies, st.integers(1, 5), st.integers(1, 6), seeds)
@example([[0.0] * 4, [1.0, -1.0, 2.0, 0.0]], 3, 5, 0)
def test_rollout_draws_a_length_and_then_the_tokens_for_every_row(theta, size, max_len, seed):
    """The same draws from the same seed, scored and padded by hand."""
    prompts = range(len(theta))
    rows, tokens, mask, rewards = rollout(theta, prompts, size, max_len, random.Random(seed))
    rng, lines = random.Random(seed), []
    for prompt in prompts:
        probs = [math.exp(x) for x in log_softmax(theta[prompt])]
        for _ in range(size):
            length = rng.randint(1, max_len)
            lines.append(rng.choices(range(VOCAB), weights=probs, k=length))
    assert list(rows) == [i // size for i in range(len(lines))]
    width = max(map(len, lines))
    for i, line in enumerate(lines):
        pads = width - len(line)
        assert list(tokens[i]) == line + [PAD] * pads
        assert list(mask[i]) == [1] * len(line) + [0] * pads
        hits = sum(token == target(rows[i]) for token in line)
        assert rewards[i] == close(hits / len(line))


@pytest.mark.parametrize("asked", [True, False])
def test_the_reward_is_1_for_the_target_alone_and_0_without_it(asked):
    """A logit of 50 leaves the other tokens e^-50 of the probability."""
    theta = [[50.0 * ((v == target(p)) == asked) for v in range(VOCAB)] for p in range(3)]
    *_, rewards = rollout(theta, range(3), 5, 4, random.Random(1))
    assert rewards == [float(asked)] * 15


@stable
@given(policies, policies, st.floats(-2, 2))
def test_numeric_grad_is_exact_on_a_quadratic_and_puts_theta_back(theta, slopes, square):
    """f = sum a x^2 + b x + first * last has the gradient 2 a x + b, plus the other factor."""
    slopes = [slopes[i % len(slopes)] for i in range(len(theta))]
    before = [list(row) for row in theta]

    def f(table):
        terms = (square * x * x + b * x for row, bs in zip(table, slopes) for x, b in zip(row, bs))
        return sum(terms) + table[0][0] * table[-1][-1]

    grad = numeric_grad(f, theta)
    expected = [[2 * square * x + b for x, b in zip(r, bs)] for r, bs in zip(before, slopes)]
    expected[0][0] += before[-1][-1]
    expected[-1][-1] += before[0][0]
    for row, wanted in zip(grad, expected, strict=True):
        assert row == close(wanted, 1e-7)
    for row, wanted in zip(theta, before):
        assert row == close(wanted, 1e-12)


def test_descend_subtracts_the_scaled_gradient():
    theta = [[1.0, 2.0], [3.0, 4.0]]
    descend(theta, [[0.5, -1.0], [0.0, 2.0]], 0.5)
    assert theta == [[0.75, 2.5], [3.0, 3.0]]


@stable
@given(policies, st.integers(2, 4), st.integers(1, 4), seeds, st.floats(0, 2))
@example([[0.0] * 4, [0.0] * 4], 4, 3, 0, 0.04)
def test_the_gradient_at_new_equal_to_old_is_that_of_reinforce(theta, size, max_len, seed, beta):
    """d ratio = d log pi at ratio 1, and k3 has slope 1 - exp(0) = 0 at the reference. So

        d loss / d theta[p][v] = -1/M sum over real tokens of p's rows of A (1[token = v] - pi_v)

    with M real tokens in the batch: REINFORCE with the group mean as its baseline.
    """
    sample = rollout(theta, range(len(theta)), size, max_len, random.Random(seed))
    rows, tokens, mask, rewards = sample
    advantages = group_advantages(rewards, size)
    old = token_logps(theta, rows, tokens)

    def loss(table):
        return grpo_loss(token_logps(table, rows, tokens), old, old, advantages, mask, beta=beta)

    expected = [[0.0] * VOCAB for _ in theta]
    count = sum(map(sum, mask))
    for i, p in enumerate(rows):
        group = rewards[i - i % size : i - i % size + size]
        baseline, spread = statistics.fmean(group), statistics.pstdev(group)
        weight = (rewards[i] - baseline) / (spread + 1e-6)
        pi = [math.exp(x) / sum(map(math.exp, theta[p])) for x in theta[p]]
        for token in tokens[i][: sum(mask[i])]:
            for v in range(VOCAB):
                expected[p][v] -= weight * ((token == v) - pi[v]) / count
    # Differences at h = 1e-4 are off by h^2 / 6 times the third derivative, a few units here.
    for row, wanted in zip(numeric_grad(loss, theta), expected, strict=True):
        assert row == close(wanted, 1e-7)


SMALL = {"steps": 4, "prompts": (0, 1, 2), "group_size": 5, "max_len": 3, "epochs": 3, "lr": 4.0}


@brief
@given(seeds)
@example(0)
def test_train_is_deterministic_and_a_shorter_run_is_a_prefix(seed):
    theta, history = train(**SMALL, seed=seed)
    assert train(**SMALL, seed=seed) == (theta, history)
    _, shorter = train(**{**SMALL, "steps": 2}, seed=seed)
    assert shorter == history[:2]


def test_train_depends_on_its_seed():
    assert train(**SMALL, seed=0)[1] != train(**SMALL, seed=1)[1]


@pytest.mark.parametrize("still", [{"lr": 0.0}, {"epochs": 0}], ids=str)
def test_a_policy_that_stands_still_samples_from_the_start_with_one_generator(still):
    theta, history = train(**{**SMALL, **still}, seed=7)
    rng, start = random.Random(7), [[0.0] * VOCAB for _ in range(3)]
    for entry in history:
        *_, rewards = rollout(start, range(3), 5, 3, rng)
        # The probes of numeric_grad leave theta within rounding of 0.
        assert entry == {"reward": close(statistics.fmean(rewards)), "clip_frac": 0.0}
    for row in theta:
        assert row == close([0.0] * VOCAB)


@brief
@given(seeds)
def test_the_first_epoch_of_a_rollout_clips_nothing(seed):
    """Its ratio is exactly 1; with a large step the second epoch's is not."""
    _, history = train(**{**SMALL, "epochs": 1}, seed=seed)
    assert [entry["clip_frac"] for entry in history] == [0.0] * 4
    _, history = train(**{**SMALL, "lr": 20.0}, seed=seed)
    assert history[0]["clip_frac"] > 0


@pytest.mark.parametrize("seed", range(3))
def test_training_raises_the_reward_and_the_penalty_holds_it_back(seed):
    theta, history = train(**{**SMALL, "steps": 30}, seed=seed)
    assert statistics.fmean(entry["reward"] for entry in history[-5:]) > 0.9
    assert [row.index(max(row)) for row in theta] == [target(p) for p in range(3)]
    held, _ = train(**{**SMALL, "steps": 30, "lr": 0.5}, seed=seed, beta=5.0)
    loose, _ = train(**{**SMALL, "steps": 30, "lr": 0.5}, seed=seed, beta=0.0)
    assert max(map(max, held)) < max(map(max, loose)) / 2


def test_a_constant_added_to_the_logits_of_a_prompt_is_never_learned():
    """Softmax ignores it, so the gradient of every row sums to 0, and so does theta."""
    theta, _ = train(**SMALL, seed=2)
    assert [sum(row) for row in theta] == close([0.0] * 3, 1e-7)


@brief
@given(seeds, st.floats(0.05, 1))
@example(0, 0.5)
def test_train_is_made_of_its_parts(seed, beta):
    """Three rollouts of three updates: old_logps frozen per rollout, one reference, its own mask."""
    rng, theta, history = random.Random(seed), [[0.0] * VOCAB for _ in range(3)], []
    for _ in range(3):
        rows, tokens, mask, rewards = rollout(theta, range(3), 5, 3, rng)
        advantages = group_advantages(rewards, 5)
        old = token_logps(theta, rows, tokens)
        ref = [[-math.log(VOCAB)] * len(line) for line in tokens]

        def loss(table):
            new = token_logps(table, rows, tokens)
            return grpo_loss(new, old, ref, advantages, mask, clip_eps=0.3, beta=beta)

        shares = []
        for _ in range(3):
            shares.append(clip_fraction(token_logps(theta, rows, tokens), old, mask))
            slopes = numeric_grad(loss, theta)
            theta = [[x - 4.0 * g for x, g in zip(*pair)] for pair in zip(theta, slopes)]
        history.append({"reward": close(statistics.fmean(rewards)), "clip_frac": max(shares)})
    found, entries = train(**{**SMALL, "steps": 3}, seed=seed, clip_eps=0.3, beta=beta)
    assert entries == history
    for row, wanted in zip(found, theta, strict=True):
        assert row == close(wanted, 1e-7)
