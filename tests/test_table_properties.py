"""Properties of fixed/table.py: the advantages, the loss and the clip fraction."""

import math
import statistics

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fixed.table import clip_fraction, group_advantages, grpo_loss

EPS = 1e-6
stable = settings(derandomize=True, deadline=None, database=None, max_examples=60)
logps = st.floats(-4, -0.01)
sizes = st.integers(2, 5)


def close(expected, tolerance=1e-9):
    return pytest.approx(expected, rel=tolerance, abs=tolerance)


@st.composite
def grouped(draw):
    """A list of at least two groups of one size; rewards in twentieths."""
    group = st.integers(0, 20).map(lambda n: n / 20)
    size = draw(sizes)
    return draw(st.lists(st.lists(group, min_size=size, max_size=size), min_size=2, max_size=4))


def flat(groups):
    return [reward for group in groups for reward in group]


def advantages_of(groups, eps=EPS):
    """Advantages, regrouped."""
    size = len(groups[0])
    out = group_advantages(flat(groups), size, eps)
    return [out[start : start + size] for start in range(0, len(out), size)]


@stable
@given(grouped(), st.integers(-40, 40), st.sampled_from([0.25, 0.5, 2, 8]))
@example([[0.0, 1.0, 1.0], [0.0, 0.5, 1.0]], 7, 4)
def test_a_shift_and_a_stretch_of_one_group_change_nothing(groups, shift, stretch):
    """(s r + c - s m - c) / (s std + s eps) = (r - m) / (std + eps): the eps is stretched along."""
    moved = [[stretch * reward + shift for reward in groups[0]], *groups[1:]]
    before = advantages_of(groups)
    # Rewards of up to 48 carry rounding errors of some 1e-14, and the smallest divisor is eps / 4.
    assert advantages_of(moved, stretch * EPS)[0] == close(before[0], 1e-6)
    assert advantages_of(moved)[1:] == before[1:]


@stable
@given(grouped())
def test_advantages_of_a_group_have_mean_0_and_std_just_below_1(groups):
    for group, advantages in zip(groups, advantages_of(groups)):
        std = statistics.pstdev(group)
        assert sum(advantages) == close(0)
        assert statistics.pstdev(advantages) == close(std / (std + EPS))
        for (r, a), (s, b) in zip(zip(group, advantages), zip(group[1:], advantages[1:])):
            assert (a - b) * (std + EPS) == close(r - s)


@stable
@given(grouped(), st.randoms(use_true_random=False))
def test_permuted_groups_have_permuted_advantages(groups, rng):
    order = list(range(len(groups)))
    rng.shuffle(order)
    before = advantages_of(groups)
    assert advantages_of([groups[g] for g in order]) == [before[g] for g in order]


@stable
@given(grouped())
def test_a_group_turned_round_has_its_advantages_turned_round(groups):
    before = advantages_of(groups)
    after = advantages_of([group[::-1] for group in groups])
    for turned, advantages in zip(after, before):
        assert turned == close(advantages[::-1])


@stable
@given(st.integers(0, 5), grouped())
@example(0, [[0.0, 1.0, 1.0], [0.25, 0.5, 1.0]])
def test_a_tied_group_has_advantages_of_0_and_leaves_the_others_alone(value, groups):
    size = len(groups[0])
    tied = [float(value)] * size
    assert advantages_of([tied, *groups]) == [[0.0] * size, *advantages_of(groups)]


@stable
@given(st.floats(0, 1), st.integers(1, 8))
@example(0.1, 3)
@example(1 / 3, 8)
def test_a_tied_group_of_any_value_has_advantages_near_0(value, size):
    """The mean of 8 equal numbers below 1 is off by at most 8 * 2^-53 = 9e-16; over eps, 9e-10."""
    assert all(abs(advantage) < 1e-9 for advantage in group_advantages([value] * size, size))


@pytest.mark.parametrize("hits", range(1, 8))
def test_hits_among_misses(hits):
    """k of 8 rewards are 1: mean p = k / 8, std sqrt(p q), so a hit gets sqrt(q / p)."""
    p = hits / 8
    advantages = group_advantages([1.0] * hits + [0.0] * (8 - hits), 8, eps=0.0)
    assert advantages[0] == close(math.sqrt((1 - p) / p))
    assert advantages[-1] == close(-math.sqrt(p / (1 - p)))


@st.composite
def batches(draw):
    """(new, old, ref, advantages, mask) of N padded rows; every row has a real token."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    width = max(lengths)
    row = st.lists(logps, min_size=width, max_size=width)
    new, old, ref = ([draw(row) for _ in lengths] for _ in range(3))
    advantages = [draw(st.floats(-2, 2)) for _ in lengths]
    mask = [[1] * length + [0] * (width - length) for length in lengths]
    return new, old, ref, advantages, mask


def real_tokens(batch):
    """(new, old, ref, advantage) of every real token."""
    new, old, ref, advantages, mask = batch
    return [
        (new[i][t], old[i][t], ref[i][t], advantages[i])
        for i, row in enumerate(mask)
        for t, real in enumerate(row)
        if real
    ]


@stable
@given(batches(), st.integers(0, 3), st.data())
def test_what_lies_under_the_padding_and_how_much_of_it_changes_nothing(batch, extra, data):
    new, old, ref, advantages, mask = batch
    rubbish = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([0.0, math.inf, -math.inf, math.nan]))

    def repadded(array):
        return [
            [x if real else data.draw(rubbish) for x, real in zip(line, row)]
            + [data.draw(rubbish) for _ in range(extra)]
            for line, row in zip(array, mask)
        ]

    wide_mask = [row + [0] * extra for row in mask]
    wide = [repadded(array) for array in (new, old, ref)]
    assert grpo_loss(*wide, advantages, wide_mask) == grpo_loss(*batch)
    assert clip_fraction(*wide[:2], wide_mask) == clip_fraction(new, old, mask)


@pytest.mark.parametrize("shape", [(2, 3), (4, 1), (2, 0), (0, 0)], ids=str)
def test_a_batch_of_padding_has_loss_0_and_clip_fraction_0(shape):
    rows, width = shape
    array, mask = [[-2.0] * width for _ in range(rows)], [[0] * width for _ in range(rows)]
    assert grpo_loss(array, array, array, [1.5] * rows, mask) == 0
    assert clip_fraction(array, array, mask) == 0


@stable
@given(batches(), batches())
def test_the_loss_is_a_token_mean(one, two):
    """The loss of two batches in one is the mean of their losses, weighted by real tokens."""
    width = 4
    joined = [
        [row + [0] * (width - len(row)) if isinstance(row, list) else row for row in a + b]
        for a, b in zip(one, two)
    ]
    m, n = len(real_tokens(one)), len(real_tokens(two))
    assert grpo_loss(*joined) == close((m * grpo_loss(*one) + n * grpo_loss(*two)) / (m + n))


def test_the_first_loss_of_a_rollout_need_not_be_0():
    """new = old = ref: -sum L_i A_i / sum L_i. A = 1 on one token, -1 on three: -(1 - 3) / 4."""
    same = [[-1.0, -2.0, -0.5], [-0.3, -1.2, -0.7]]
    assert grpo_loss(same, same, same, [1.0, -1.0], [[1, 0, 0], [1, 1, 1]]) == close(0.5)


@pytest.mark.parametrize(
    ("advantage", "ratio", "surrogate"),
    [
        (3.0, 0.5, 1.5),  # below the range, things got worse: the full ratio counts
        (3.0, 0.9, 2.7),
        (3.0, 1.7, 3.9),  # above the range: no more than 1.3 * 3 is claimed
        (-3.0, 0.5, -2.1),  # below the range: no less than 0.7 * 3 is charged
        (-3.0, 0.9, -2.7),
        (-3.0, 1.7, -5.1),  # above the range, things got worse: the full ratio counts
        (-3.0, 40.0, -120.0),
    ],
)
def test_the_surrogate_on_both_sides_of_the_range(advantage, ratio, surrogate):
    new, old = [[math.log(ratio) - 5.0]], [[-5.0]]
    loss = grpo_loss(new, old, new, [advantage], [[1]], clip_eps=0.3, beta=0.5)
    assert loss == close(-surrogate)


@stable
@given(batches(), st.sampled_from([0.1, 0.2, 0.5]))
def test_the_objective_is_pessimistic(batch, clip_eps):
    """The mean of minima is at most either mean, and equal to them with every ratio in range."""
    ratios = [(math.exp(new - old), advantage) for new, old, _, advantage in real_tokens(batch)]
    low, high = 1 - clip_eps, 1 + clip_eps
    unclipped = statistics.fmean(r * a for r, a in ratios)
    clipped = statistics.fmean(sorted((low, r, high))[1] * a for r, a in ratios)
    objective = -grpo_loss(*batch, clip_eps=clip_eps, beta=0.0)
    assert objective <= min(unclipped, clipped) + 1e-9
    if all(low <= r <= high for r, _ in ratios):
        assert objective == close(unclipped)


@stable
@given(logps, logps, st.sampled_from([0.1, 0.2, 0.5]), st.sampled_from([-1.5, 0.5]))
@example(-1.0, -3.0, 0.2, 0.5)
@example(-3.0, -1.0, 0.2, -1.5)
@example(-3.0, -1.0, 0.2, 0.5)
@example(-1.0, -3.0, 0.2, -1.5)
def test_the_clip_stops_the_slope_only_where_things_got_better(new, old, clip_eps, advantage):
    """d surrogate / d new = ratio * A, but 0 for A > 0 above the range and A < 0 below it."""
    ratio, h = math.exp(new - old), 1e-5
    assume(min(abs(ratio - 1 - clip_eps), abs(ratio - 1 + clip_eps)) > 1e-2)

    def objective(x):
        return -grpo_loss([[x]], [[old]], [[x]], [advantage], [[1]], clip_eps=clip_eps)

    slope = (objective(new + h) - objective(new - h)) / (2 * h)
    stopped = ratio > 1 + clip_eps if advantage > 0 else ratio < 1 - clip_eps
    # Central differences are off by h^2 / 6 times the third derivative, here ratio * A < 100.
    assert slope == close(0.0 if stopped else ratio * advantage, 1e-6)


@stable
@given(batches(), st.floats(0.01, 2))
def test_the_penalty_adds_beta_times_a_mean_that_is_never_negative(batch, beta):
    penalty = (grpo_loss(*batch, beta=beta) - grpo_loss(*batch, beta=0.0)) / beta
    assert penalty >= -1e-9
    assert grpo_loss(*batch, beta=2 * beta) == close(grpo_loss(*batch, beta=beta) + beta * penalty)
    on_reference = (batch[0], batch[1], batch[0], *batch[3:])
    assert grpo_loss(*on_reference, beta=beta) == grpo_loss(*on_reference, beta=0.0)


weights = st.lists(st.integers(1, 50), min_size=4, max_size=4)


def k3(new, ref):
    """The penalty of one token, alone in its batch and with advantage 0."""
    return grpo_loss([[new]], [[new]], [[ref]], [0.0], [[1]], beta=1.0)


@stable
@given(weights, weights)
@example([1, 1, 1, 1], [1, 2, 3, 4])
@example([7, 1, 2, 50], [7, 1, 2, 50])
def test_the_penalty_is_an_unbiased_estimate_of_the_kl_to_the_reference(policy, reference):
    """E_pi[ref / pi - log(ref / pi) - 1] = sum ref + KL(pi || ref) - 1 = KL(pi || ref)."""
    pi = [w / sum(policy) for w in policy]
    ref = [w / sum(reference) for w in reference]
    tokens = [k3(math.log(p), math.log(q)) for p, q in zip(pi, ref)]
    assert min(tokens) >= -1e-12
    expectation = sum(p * token for p, token in zip(pi, tokens))
    assert expectation == close(sum(p * math.log(p / q) for p, q in zip(pi, ref)))


RATIOS = {0.2: False, 0.69: False, 0.71: True, 1.0: True, 1.29: True, 1.31: False, 9.0: False}


@stable
@given(st.lists(st.lists(st.sampled_from(list(RATIOS)), min_size=3, max_size=3), min_size=1))
@example([[0.2, 0.71, 1.0], [1.29, 1.31, 9.0]])
def test_the_clip_fraction_counts_ratios_outside_the_range(ratios):
    """clip_eps = 0.3; the last token of every second row is padding."""
    old = [[-3.0] * 3 for _ in ratios]
    new = [[-3.0 + math.log(ratio) for ratio in row] for row in ratios]
    mask = [[1, 1, i % 2] for i in range(len(ratios))]
    real = [r for row, reals in zip(ratios, mask) for r, m in zip(row, reals) if m]
    outside = sum(not RATIOS[ratio] for ratio in real)
    assert clip_fraction(new, old, mask, clip_eps=0.3) == close(outside / len(real))
    assert clip_fraction(old, old, mask, clip_eps=0.3) == 0
