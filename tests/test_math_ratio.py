"""docs/math.md, the ratio, the clipped surrogate and the old policy: one test per claim."""

import math

import torch
from exact import (
    OLD,
    PI,
    REWARDS,
    column,
    expected_gradient,
    full_mask,
    gradient,
    near,
    says,
    shown,
    slope,
    table_with,
)

from fixed import lm, table

GAIN = REWARDS - OLD @ REWARDS  # advantages of an infinite group, not standardised
RATIOS = (0.5, 1.0, 1.5)  # below, inside and above 0.8 ... 1.2


def token_loss(new, old=-1.0, advantage=1.0, ref=None, **options):
    """fixed/table.py's loss of one token, beta 0 unless given."""
    ref = new if ref is None else ref
    return table.grpo_loss([[new]], [[old]], [[ref]], [advantage], [[1]], **{"beta": 0.0} | options)


def loss_slope(ratio, advantage, clip_eps=0.2):
    """d loss / d new of one token in fixed/lm.py; its old log-prob is -1."""

    def loss(new):
        old = torch.full_like(new, -1.0)
        return lm.grpo_loss(new, old, old, column([advantage])[0], full_mask(new), clip_eps, 0.0)

    return slope(lambda x: loss(x.view(1, 1)), -1.0 + math.log(ratio))


def test_ratio_mean():
    ratio = lm.token_ratio(column(PI.log()), column(OLD.log()), full_mask(column(PI)))[:, 0]
    assert near(OLD @ ratio, 1.0)
    assert near(OLD @ (ratio * REWARDS), PI @ REWARDS)
    says("ratio-mean", shown(OLD @ REWARDS, 1), shown(PI @ REWARDS, 1))


def test_ratio_gradient():
    for token in range(4):
        score = torch.eye(4, dtype=torch.float64)[token] - PI
        for old in (OLD, PI):
            ratio = gradient(
                lambda logps: lm.token_ratio(
                    logps[token].view(1, 1), old[token].log().view(1, 1), torch.tensor([[True]])
                ).sum()
            )
            assert near(ratio, PI[token] / old[token] * score)


def test_log_space():
    assert math.exp(-800.0) == 0.0  # so a quotient of the probabilities would be 0 / 0
    value = -token_loss(-800.0, old=-800.1, advantage=1.0)
    assert near(value, math.exp(0.1))
    says("log-space", shown(value, 4))


def test_quotient_of_logs():
    bug = table_with(3)
    for p in (0.25, 0.9, 0.99):
        old, h = math.log(p), 1e-6

        def loss(new):
            return bug.grpo_loss([[new]], [[old]], [[new]], [1.0], [[1]], beta=0.0)

        assert near(loss(old), token_loss(old, old))  # both -1 at ratio 1
        assert near((loss(old + h) - loss(old - h)) / (2 * h), -1 / old, 1e-5)
        says("quotient-of-logs", shown(1 / old, 3 if p > 0.9 else 2))


def test_two_wrongs():
    h, old = 1e-6, math.log(0.25)

    def loss_slope(trainer):
        ends = (
            trainer.grpo_loss([[old + x]], [[old]], [[old]], [1.0], [[1]], beta=0.0)
            for x in (h, -h)
        )
        return (next(ends) - next(ends)) / (2 * h)

    slopes = [loss_slope(t) for t in (table, table_with(3), table_with(5), table_with(3, 5))]
    assert near(slopes, [-1.0, -1 / old, 1.0, 1 / old], 1e-5)
    says("two-wrongs", "-1", "1", *(shown(s, 2) for s in (slopes[1], slopes[3])))


def test_detach_trick():
    score = torch.eye(4, dtype=torch.float64)[0] - PI
    trick = gradient(lambda logps: (logps[0] - logps[0].detach()).exp())
    assert near(trick, score)
    assert near(gradient(lambda logps: (logps[0] - logps[0]).exp()), torch.zeros(4))

    def surrogate(logps):  # lm takes the gradient off old itself
        new = logps[:1, None]
        return lm.token_ratio(new, new, full_mask(new)).sum()

    assert near(gradient(surrogate), score)


def test_lower_bound():
    for advantage in (2.0, -2.0):
        assert near(loss_slope(1.0, advantage), -advantage)  # to first order they are one
        for ratio in (0.01, 0.5, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 30.0):
            surrogate = -token_loss(-1.0 + math.log(ratio), advantage=advantage)
            assert surrogate <= ratio * advantage + 1e-9
            if 0.8 <= ratio <= 1.2:
                assert near(surrogate, ratio * advantage)


def test_gain_bound():
    ratio = PI / OLD
    gain = OLD @ (ratio * GAIN)
    assert near(gain, PI @ REWARDS - OLD @ REWARDS)
    surrogate = OLD @ lm.clipped_surrogate(column(ratio), GAIN, 0.2)[:, 0]
    assert surrogate < gain
    says("gain-bound", shown(surrogate, 2), shown(gain, 1))


def test_zero_gradient():
    slopes = {(a, r): loss_slope(r, a) for a in (1.0, -1.0) for r in RATIOS}
    for (a, r), value in slopes.items():
        binds = (a > 0 and r > 1.2) or (a < 0 and r < 0.8)
        assert near(value, 0.0 if binds else -r * a)
        new, h = -1.0 + math.log(r), 1e-6
        plain = (token_loss(new + h, advantage=a) - token_loss(new - h, advantage=a)) / (2 * h)
        assert near(plain, value, 1e-6)
    assert sum(value == 0 for value in slopes.values()) == 2


def test_bad_token_unclipped():
    for ratio in (10.0, 1000.0):
        assert near(token_loss(-1.0 + math.log(ratio), advantage=-1.0), ratio)
        assert near(loss_slope(ratio, -1.0), ratio)
    says("bad-token-unclipped", "10")


def test_max_swaps():
    bug, h = table_with(4), 1e-6

    def surrogate(ratio, advantage):
        new = -1.0 + math.log(ratio)
        return -bug.grpo_loss([[new]], [[-1.0]], [[new]], [advantage], [[1]], beta=0.0)

    for a in (1.0, -1.0):
        for r in RATIOS:
            rise = (surrogate(r * (1 + h), a) - surrogate(r * (1 - h), a)) / (2 * h)
            alive = (a > 0 and r > 1.2) or (a < 0 and r < 0.8) or r == 1.0
            assert near(rise, r * a if alive else 0.0, 1e-6)
            assert near(surrogate(r, a), max(r * a, min(max(r, 0.8), 1.2) * a))
            clipped = min(max(r, 0.8), 1.2)
            assert near(token_loss(-1.0 + math.log(r), advantage=a), max(-r * a, -clipped * a))


def test_clip_dead():
    def loss_of(clip_eps):
        def loss(new, group):
            advantages = lm.group_advantages(REWARDS[group], 3)
            old, mask = new.detach(), full_mask(new)
            return lm.grpo_loss(new, old, old, advantages, mask, clip_eps, beta=0.0)

        return loss

    def reinforce(new, group):
        return -(lm.group_advantages(REWARDS[group], 3) * new[:, 0]).mean()

    expected = expected_gradient(reinforce, 3)
    assert expected.norm() > 0.1
    for clip_eps in (1e-6, 0.2, 100.0):
        assert near(expected_gradient(loss_of(clip_eps), 3), expected)


def drawn_from(sampler, old=None):
    """Ascent direction at PI of the unclipped surrogate on tokens of the sampler; old None: PI."""

    def loss(new, group):
        below = new.detach() if old is None else column(old[group].log())
        return -lm.grpo_loss(new, below, below, GAIN[group], full_mask(new), 100.0, 0.0)

    return expected_gradient(loss, 1, PI, sampler)


def test_frozen_old():
    true = gradient(lambda logps: logps.exp() @ REWARDS)
    assert near(drawn_from(OLD, OLD), true)
    refreshed = drawn_from(OLD)
    assert not near(refreshed, true, 0.01)
    assert near(refreshed, OLD * GAIN - PI * (OLD @ GAIN))  # E_q[A grad log pi] by hand
    says("frozen-old", *(f"{g:.3f}" for g in [*true, *refreshed]))


def test_wrong_old():
    # Tokens of a sampler that another engine runs, log-probs of ours (OLD) below the line.
    engine = torch.tensor([0.4, 0.2, 0.2, 0.2], dtype=torch.float64)
    assert near(engine @ (PI / engine * REWARDS), PI @ REWARDS)
    wrong = engine @ (PI / OLD * REWARDS)
    says("wrong-old", shown(PI @ REWARDS, 1), shown(wrong, 3))


def test_reference_as_old():
    new, old, ref = math.log(0.5), math.log(0.48), math.log(0.25)  # rewarded for some steps
    h = 1e-6

    def rise(below):
        return (token_loss(new - h, below) - token_loss(new + h, below)) / (2 * h)

    assert rise(ref) == 0.0 and near(rise(old), 0.5 / 0.48, 1e-6)
    assert near(token_loss(ref, ref), token_loss(old, old))  # at the start they are one
    says("reference-as-old", "2", shown(0.5 / 0.48, 3))


def stub(logits):
    return lambda tokens, attention_mask, positions: logits.expand(*tokens.shape, -1)


def test_temperature():
    logits, T = PI.log(), 0.5
    tokens, seen = torch.tensor([[1, 0]]), torch.ones(1, 2, dtype=torch.bool)
    ours = lm.token_logps(stub(logits), tokens, seen, 1, T)
    assert near(ours[0], (logits / T).log_softmax(-1)[:1])
    hot = (logits / T).softmax(-1)
    score = torch.eye(4, dtype=torch.float64) - PI
    assert near(hot @ (torch.eye(4, dtype=torch.float64) - hot) / T, torch.zeros(4))
    leak = hot @ score  # the mean gradient of log-probs at temperature 1: no longer 0
    says("temperature", shown(hot[0], 3), *(f"{g:.3f}" for g in leak.abs()))


def test_shared_mistake():
    tokens, seen = torch.tensor([[1, 0, 2]]), torch.ones(1, 3, dtype=torch.bool)
    right = lm.token_logps(stub(PI.log()), tokens, seen, 2, 0.5)
    wrong = [lm.token_logps(stub(PI.log()), tokens, seen, 2, 1.0) for _ in "ab"]
    assert lm.token_ratio(*wrong, full_mask(right)).tolist() == [[1.0, 1.0]]
    gap = (wrong[0] - right).abs().max()
    says("shared-mistake", shown(gap, 3))


def test_sequence_product():
    new, old = [[-1.0 + math.log(1.1)] * 8], [[-1.0] * 8]
    assert table.clip_fraction(new, old, [[1] * 8]) == 0.0
    total = [[sum(new[0])]], [[sum(old[0])]]
    assert table.clip_fraction(*total, [[1]]) == 1.0
    assert near(math.exp(sum(n - o for n, o in zip(new[0], old[0])) / 8), 1.1)
    second = OLD @ (PI / OLD) ** 2  # mean of the squared ratio of one token
    spread = sum(
        OLD[list(g)].prod() * (PI / OLD)[list(g)].prod() ** 2
        for g in torch.cartesian_prod(*[torch.arange(4)] * 3).tolist()
    )
    assert near(spread, second**3)
    says("sequence-product", shown(1.1**8, 3), shown(second, 3), shown(second**8, 3))


def tiny(**sizes):
    torch.manual_seed(0)
    return lm.TinyLM(**{"width": 8, "heads": 2, "layers": 1} | sizes)


def test_lr_zero():
    options = {"prompts_per_step": 2, "group_size": 3, "epochs": 2, "lr": 0.0}
    _, history = lm.train(tiny(), steps=2, **options)
    for step in history:
        assert (step["ratio"], step["kl"], step["clip_frac"]) == (1.0, 0.0, 0.0)
        assert step["sampler_gap"] < 1e-5
    _, history = table.train(steps=2, lr=0.0, epochs=3)
    assert [step["clip_frac"] for step in history] == [0.0, 0.0]


def test_dropout():
    policy, seen = tiny(dropout=0.1), torch.ones(1, 5, dtype=torch.bool)
    tokens = torch.tensor([[1, 4, 5, 6, 7]])
    quiet = [lm.token_logps(policy, tokens, seen, 2) for _ in "ab"]
    assert lm.token_ratio(*quiet, full_mask(quiet[0])).tolist() == [[1.0, 1.0]]
    policy.train()
    places = lm.position_ids(seen)
    first, second = (policy(tokens, seen, places).log_softmax(-1) for _ in "ab")
    assert not torch.equal(first, second)
