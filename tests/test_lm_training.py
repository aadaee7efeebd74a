"""The reversal task, and training on it: fixed/lm.py learns, buggy/lm.py runs to the end."""

import copy
import random
import statistics

import pytest
import torch

import buggy.lm
import fixed.lm

torch.set_num_threads(1)

BOTH = pytest.mark.parametrize("lm", [buggy.lm, fixed.lm], ids=["buggy", "fixed"])
BOS, EOS, EQUALS = 1, 2, 3  # the digit d is token 4 + d
SMALL = {"steps": 5, "prompts_per_step": 4, "group_size": 3, "max_new_tokens": 7}
METRICS = {"reward", "kl", "clip_frac", "entropy", "ratio", "grad_norm", "tied_share", "length"}
METRICS |= {"eos_share", "loss", "skipped", "sampler_gap"}


def tokens(digits):
    return [4 + int(digit) for digit in digits]


@BOTH
@pytest.mark.parametrize(
    ("digits", "completion", "reward"),
    [
        ("314", [*tokens("413"), EOS], 1.0),
        ("314", tokens("413"), 0.8),  # right, but does not stop
        ("314", [*tokens("4130"), EOS], 0.8),  # stops too late
        ("314", [*tokens("41"), EOS], 0.8 * 2 / 3),  # stops too early
        ("314", [*tokens("314"), EOS], 0.8 * 1 / 3 + 0.2),  # not reversed: the 1 is in place
        ("314", [*tokens("000"), EOS], 0.2),  # the right length is all that is right
        ("314", tokens("000"), 0.0),
        ("314", [EOS], 0.0),
        ("314", [*tokens("4"), EQUALS, *tokens("3"), EOS], 0.8 * 2 / 3 + 0.2),
        ("314", tokens("0413"), 0.0),  # one place late
        ("07", [*tokens("70"), EOS], 1.0),
        ("99999", tokens("999"), 0.8 * 3 / 5),
    ],
)
def test_the_reward(lm, digits, completion, reward):
    prompt = [BOS, *tokens(digits), EQUALS]
    rewards = lm.reversal_reward([prompt, prompt], [completion, [EOS]])
    assert rewards == pytest.approx([reward, 0.0], abs=1e-12)


@BOTH
def test_the_prompts(lm):
    """BOS, two to five digits, "="; all lengths, all digits; the same again from the same seed."""
    prompts = lm.reversal_prompts(200, random.Random(0))
    assert prompts == lm.reversal_prompts(200, random.Random(0))
    assert prompts != lm.reversal_prompts(200, random.Random(1))
    assert {(prompt[0], prompt[-1]) for prompt in prompts} == {(BOS, EQUALS)}
    assert {len(prompt) - 2 for prompt in prompts} == {2, 3, 4, 5}
    assert {token for prompt in prompts for token in prompt[1:-1]} == set(range(4, 14))


def test_fixed_learns_to_reverse():
    """From about .06 to a mean of .65 to .81 in the last five of 40 rollouts on seeds 0 to 4.

    Machines differ in their last bits, and training makes differences of them as large as those
    between seeds: the threshold leaves the slowest of the five seeds .2 to spare.
    """
    _, history = fixed.lm.train(steps=40, max_new_tokens=6)
    rewards = [metrics["reward"] for metrics in history]
    assert rewards[0] < 0.15
    assert statistics.fmean(rewards[-5:]) > 0.45
    # A healthy dashboard on the way.
    assert max(metrics["sampler_gap"] for metrics in history) < 1e-4
    assert sum(metrics["skipped"] for metrics in history) == 0
    assert all(0.9 < metrics["ratio"] < 1.1 for metrics in history)
    assert all(metrics["clip_frac"] < 0.5 for metrics in history)
    assert history[0]["entropy"] > 2 and history[-1]["entropy"] < 1.3  # log 14 = 2.6 is the most


@BOTH
@pytest.mark.parametrize("size", [None, 5], ids=str)
def test_both_run_to_the_end(lm, size):
    calls = []
    policy, history = lm.train(**SMALL, micro_batch_size=size, on_step=calls.append)
    assert len(history) == 5 and calls == history
    for metrics in history:
        assert set(metrics) == METRICS
        assert all(isinstance(value, float | int) for value in metrics.values())
    assert isinstance(policy, lm.TinyLM)


@BOTH
def test_the_same_seed_gives_the_same_run(lm):
    one, two, other = (lm.train(**SMALL, seed=seed)[1] for seed in (3, 3, 4))
    assert repr(one) == repr(two)  # as text, in which NaN equals NaN
    assert repr(one) != repr(other)


def test_every_rollout_draws_anew():
    """The same prompts and, at learning rate 0, the same policy: three rollouts, all different."""
    rollouts, prompt = [], [BOS, *tokens("314"), EQUALS]

    def reward_fn(prompts, completions):
        rollouts.append(completions)
        return [0.0] * len(completions)

    options = SMALL | {"steps": 3, "prompt_fn": lambda count, rng: [prompt] * count}
    fixed.lm.train(None, reward_fn, lr=0.0, **options)
    assert len(rollouts) == 3
    assert rollouts[0] != rollouts[1] != rollouts[2] != rollouts[0]


def test_a_given_policy_is_trained_in_place_and_the_reference_stays():
    torch.manual_seed(0)
    policy = fixed.lm.TinyLM(width=16, heads=2)
    before = copy.deepcopy(policy.state_dict())
    trained, history = fixed.lm.train(policy, **SMALL)
    assert trained is policy and history[-1]["kl"] > 0
    assert any(not torch.equal(before[name], w) for name, w in policy.state_dict().items())
    reference = fixed.lm.make_reference(policy)
    assert not any(weight.requires_grad for weight in reference.parameters())
    assert all(weight.requires_grad for weight in policy.parameters())
    pairs = zip(reference.parameters(), policy.parameters())
    assert all(torch.equal(a, b) and a.data_ptr() != b.data_ptr() for a, b in pairs)
