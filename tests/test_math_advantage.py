"""docs/math.md, from the policy gradient to the advantage: one test per claim."""

import itertools
import math

import torch
from exact import PI, REWARDS, cosine, expected_gradient, full_mask, gradient, near, says, shown

from fixed import lm, table

TRUE = gradient(lambda logps: logps.exp() @ REWARDS)  # of the mean reward, in the logits


def ascent(advantage, size, probs=PI):
    """Minus the expected gradient of fixed/lm.py's loss at ratio 1, advantages from tokens."""

    def loss(new, group):
        old, mask = new.detach(), full_mask(new)
        return -lm.grpo_loss(new, old, old, advantage(group), mask, beta=0.0)

    return expected_gradient(loss, size, probs)


def centred(group, rewards=REWARDS):
    return rewards[group] - rewards[group].mean()


def standardised(group, rewards=REWARDS):
    return lm.group_advantages(rewards[group], len(group))


def spread(baseline, rewards=REWARDS):
    """Summed variance of (r - baseline) grad log pi over one sampled token."""
    scores = torch.eye(4, dtype=torch.float64) - PI  # (V, V), grad log pi of every token
    terms = (rewards - baseline)[:, None] * scores
    return (PI[:, None] * (terms - PI @ terms).square()).sum().item()


def test_policy_gradient():
    assert near(TRUE, PI * (REWARDS - PI @ REWARDS))
    assert near(ascent(lambda group: REWARDS[group], 1), TRUE)
    says("policy-gradient", shown(PI @ REWARDS, 1), *[f"{g:.2f}" for g in TRUE[[0, 1, 3]]])


def test_constant_baseline():
    assert near(ascent(lambda group: torch.ones(1), 1), torch.zeros(4))
    for b in (-3.0, 0.5, 100.0):
        assert near(ascent(lambda group: REWARDS[group] - b, 1), TRUE)


def test_baseline_variance():
    plain, shifted = spread(0.0), spread(0.0, REWARDS + 10)
    assert near(spread(10.0, REWARDS + 10), plain)
    mean = spread((PI @ REWARDS).item())
    assert mean < plain
    says("baseline-variance", *(shown(x, 3) for x in (plain, shifted, mean)))


def test_baseline_direction():
    for size in (2, 3, 4):
        assert near(ascent(centred, size), (size - 1) / size * TRUE)
    says("baseline-direction", "0.5", shown(2 / 3, 2), "0.75")


def test_leave_one_out():
    def others(group):
        rewards = REWARDS[group]
        return rewards - (rewards.sum() - rewards) / (len(group) - 1)

    assert near(ascent(others, 3), TRUE)
    for group in itertools.product(range(4), repeat=3):
        assert near(centred(list(group)), 2 / 3 * others(list(group)))


def test_batch_baseline():
    # A group of two of PI, and one of two of the uniform policy with rewards of its own: 4 rows.
    theirs = torch.tensor([0.0, 7.0, 0.0, 7.0], dtype=torch.float64)
    other = [(list(g), 1 / 16) for g in itertools.product(range(4), repeat=2)]

    def advantage(group):
        means = [(p, (REWARDS[group].sum() + theirs[g].sum()) / 4) for g, p in other]
        return REWARDS[group] - sum(p * mean for p, mean in means)

    assert near(ascent(advantage, 2), 3 / 4 * TRUE)
    says("batch-baseline", "0.75")


def test_group_bonus():
    rewards = [1.0, 0.0, 0.5, 0.0, 2.0, 2.0]
    bonus = [r + b for r, b in zip(rewards, [5.0] * 3 + [-2.0] * 3)]
    assert near(table.group_advantages(bonus, 3), table.group_advantages(rewards, 3))
    values = (lm.group_advantages(torch.tensor(r), 3) for r in (bonus, rewards))
    assert near(*values)


def test_advantages_sum():
    rewards = [3.0, 1.0, 0.5, 0.0, 2.0, 2.0]
    for values in (
        table.group_advantages(rewards, 3),
        lm.group_advantages(torch.tensor(rewards), 3),
    ):
        assert near(sum(values[:3]), 0.0) and near(sum(values[3:]), 0.0)


def test_scale_free():
    rewards = [3.0, 1.0, 0.5, 0.0]
    stretched = [1000 * r - 7 for r in rewards]
    values = table.group_advantages(rewards, 4), table.group_advantages(stretched, 4)
    assert near(*values, tolerance=2e-6)
    assert not near(*values, tolerance=1e-9)  # eps is not scaled with them


def test_lone_success():
    for k in range(1, 8):
        success, *_, failure = table.group_advantages([1.0] * k + [0.0] * (8 - k), 8, eps=0.0)
        assert near(success, math.sqrt((8 - k) / k)) and near(failure, -math.sqrt(k / (8 - k)))
    lone, *_, failure = table.group_advantages([1.0] + [0.0] * 7, 8)
    says("lone-success", shown(lone, 3), shown(failure, 2))


BINARY = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)


def binary_weight(p, size):
    """How many times the true gradient the standardised one is, for success rate p."""
    probs = torch.tensor([p, *[(1 - p) / 3] * 3], dtype=torch.float64)
    true = gradient(lambda logps: logps.exp() @ BINARY, probs)
    expected = ascent(lambda group: standardised(group, BINARY), size, probs)
    assert near(cosine(expected, true), 1.0)
    return (expected.norm() / true.norm()).item()


def test_binary_weight():
    weights = [binary_weight(p, 4) for p in (0.5, 0.1, 0.9)]
    assert near(weights[1], weights[2])

    def counted(p, size):  # the same by the number of successes
        terms = (
            math.comb(size, k) * p**k * (1 - p) ** (size - k) * math.sqrt(k * (size - k)) / size
            for k in range(size + 1)
        )
        return sum(terms) / (p * (1 - p))

    for p, weight in zip((0.5, 0.1), weights):
        assert near(counted(p, 4), weight, 1e-5)
    large = [counted(p, 8) for p in (0.5, 0.1)]
    says("binary-weight", *(shown(w, 3) for w in (*weights[:2], *large)))


def test_arcsine():
    # d/dp 2 asin(sqrt p) = 1 / sqrt(p (1 - p)); the binomial sum of test_binary_weight at large G.
    for p in (0.5, 0.1):
        h, limit = 1e-6, 1 / math.sqrt(p * (1 - p))
        rise = (2 * math.asin(math.sqrt(p + h)) - 2 * math.asin(math.sqrt(p - h))) / (2 * h)
        assert near(rise, limit, 1e-8)
        size = 1000
        log = [math.lgamma(size + 1) - math.lgamma(k + 1) - math.lgamma(size - k + 1)
               + k * math.log(p) + (size - k) * math.log(1 - p) for k in range(size + 1)]  # fmt: skip
        total = sum(math.exp(x) * math.sqrt(k * (size - k)) / size for k, x in enumerate(log))
        assert abs(total / (p * (1 - p)) / limit - 1) < 0.002
        says("arcsine", shown(limit, 3 if p < 0.5 else 1))


def test_graded_direction():
    rewards = torch.tensor([0.0, 0.2, 1.0, 0.9], dtype=torch.float64)
    true = gradient(lambda logps: logps.exp() @ rewards)
    for size in (2, 3, 4):
        assert near(cosine(ascent(lambda g: centred(g, rewards), size), true), 1.0)
    cosines = [cosine(ascent(lambda g: standardised(g, rewards), n), true) for n in (2, 4)]
    assert max(cosines) < 0.999
    says("graded-direction", *(shown(c, 3) for c in cosines))


def test_sample_std():
    rewards = torch.tensor([3.0, 1.0, 0.5, 0.0, 2.0, 2.5, 0.0, 1.0], dtype=torch.float64)
    for size in (4, 8):
        group = rewards[:size]
        sample = (group - group.mean()) / group.std(correction=1)
        ours = torch.tensor(table.group_advantages(group.tolist(), size, eps=0.0)).double()
        assert near(ours, math.sqrt(size / (size - 1)) * sample, 1e-6)
        says("sample-std", shown(math.sqrt(size / (size - 1)), 4))


def test_eps_inside_root():
    beside = table.group_advantages([0.5, 0.50001], 2)[1]
    std = 0.000005
    assert near(beside, std / (std + 1e-6), 1e-6)
    inside = std / math.sqrt(std**2 + 1e-6)
    says("eps-inside-root", shown(beside, 3), shown(inside, 1), shown(beside / inside, 3))


def test_group_of_one():
    assert table.group_advantages([3.0, 5.0], 1) == [0.0, 0.0]
    assert lm.group_advantages(torch.tensor([3.0, 5.0]), 1).tolist() == [0.0, 0.0]
    variance = torch.tensor(0.0) / torch.tensor(0.0)  # squares summed, divided by G - 1
    assert (torch.tensor(0.0) / (variance.sqrt() + 1e-6)).isnan()


def test_float32_ties():
    assert lm.group_advantages(torch.tensor([0.3] * 8), 8).tolist() == [0.0] * 8
    reward = torch.tensor(0.3)  # float32; the mean of eight, added one by one
    mean = sum([reward] * 7, reward) / 8
    assert mean != reward
    std = (reward - mean).abs()  # equal residues: the root of their mean square
    naive = [((reward - mean).abs() / (std + eps)).item() for eps in (1e-8, 1e-6, 1e-4)]
    says("float32-ties", *(shown(a, 2) for a in naive))


def test_tied_share():
    for p, size in ((0.25, 2), (0.25, 8)):
        tied = 0.0
        for group in itertools.product((0.0, 1.0), repeat=size):
            k = sum(group)
            silent = not any(table.group_advantages(list(group), size))
            tied += silent * p**k * (1 - p) ** (size - k)
        assert near(tied, p**size + (1 - p) ** size)
        says("tied-share", f"{100 * tied:.1f}")
