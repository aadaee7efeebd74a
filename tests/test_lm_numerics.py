"""fixed/lm.py where numbers run out: ties, extremes, nothing at all, rubbish, bad arguments."""

import math
import random
import re

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixed import lm

torch.set_num_threads(1)

stable = settings(derandomize=True, deadline=None, database=None, max_examples=40)
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
PROMPTS = [[1, 5, 6, 3], [1, 7, 8, 9, 4, 5, 3], [1, 5, 3]]
BOUND = math.exp(20)  # of a ratio: log-ratios are bounded to +-20


def model(**sizes):
    torch.manual_seed(0)
    return lm.TinyLM(**{"width": 8, "heads": 2, "layers": 1} | sizes).double()


def loss_and_slope(new, old, ref, advantages, mask, **options):
    leaf = new.clone().requires_grad_()
    loss = lm.grpo_loss(leaf, old, ref, advantages, mask, **options)
    loss.backward()
    assert loss.shape == ()
    return loss.item(), leaf.grad


def rollout_of(mask, seed=0):
    """A random rollout with this completion mask (N, T); its advantages and ref_logps."""
    generator = torch.Generator().manual_seed(seed)
    count, width = mask.shape
    prompts, visible = lm.pad_left([PROMPTS[row % len(PROMPTS)] for row in range(count)])
    completions = torch.randint(0, 14, (count, width), generator=generator)
    tokens, seen = torch.cat([prompts, completions], 1), torch.cat([visible, mask], 1)
    noise = torch.randn(3, count, width, generator=generator, dtype=torch.float64)
    old, ref = -2.6 + noise[0] / 3, -2.6 + noise[1] / 3  # log(1 / 14) = -2.6
    ended = torch.zeros(count, dtype=torch.bool)
    return lm.Rollout(tokens, seen, completions, mask, old, ended), noise[2, :, 0], ref


# Equal rewards


@stable
@given(
    st.floats(-(2.0**99), 2.0**99, width=32),
    st.integers(1, 9),
    st.integers(1, 3),
    st.sampled_from([torch.float32, torch.float64]),
)
@example(0.3, 8, 2, torch.float32)
@example(0.1, 3, 1, torch.float64)
@example(1e9 + 0.1, 7, 2, torch.float64)
def test_equal_rewards_of_any_value_have_advantages_of_exactly_0(value, size, groups, dtype):
    rewards = torch.full((size * groups,), value, dtype=dtype)
    assert lm.group_advantages(rewards, size).tolist() == [0.0] * (size * groups)


@DTYPES
def test_a_tied_group_beside_others(dtype):
    """-1 and 1 have mean 0 and population std 1; one miss in four: sqrt(1/3), and -sqrt 3."""
    rewards = torch.tensor([0.3] * 4 + [-1, 1, 1, -1] + [1, 1, 0, 1], dtype=dtype)
    third = math.sqrt(1 / 3)
    expected = [0.0] * 4 + [-1, 1, 1, -1] + [third, third, -math.sqrt(3), third]
    advantages = lm.group_advantages(rewards, 4, eps=1e-300)
    assert advantages.tolist() == pytest.approx(expected, rel=1e-12)
    assert advantages[:4].tolist() == [0.0] * 4


@pytest.mark.parametrize("rewards", [[2, 2, 5, 5], [True, True, False, False]], ids=str)
def test_rewards_may_be_whole_numbers(rewards):
    assert lm.group_advantages(torch.tensor(rewards), 2).tolist() == [0.0] * 4


# Extremes


@DTYPES
@pytest.mark.parametrize(
    ("log_ratio", "advantage", "surrogate"),
    [(200, 1, 1.2), (200, -1, -BOUND), (-200, 1, 1 / BOUND), (-200, -1, -0.8)],
)
def test_log_ratios_of_200(dtype, log_ratio, advantage, surrogate):
    """As at the bound of 20; the loss is -surrogate, with ref = new and so no KL."""
    new = torch.full((2, 3), -1.0, dtype=dtype)
    advantages = torch.full((2,), advantage, dtype=dtype)
    mask = torch.ones(2, 3)
    loss, slope = loss_and_slope(new, new - log_ratio, new, advantages, mask)
    assert loss == pytest.approx(-surrogate, rel=1e-5) and slope.isfinite().all()


@DTYPES
@pytest.mark.parametrize(("delta", "kl"), [(200, BOUND - 21), (-200, 1 / BOUND + 19)])
def test_a_reference_200_away(dtype, delta, kl):
    """k3 at d = +-20 is exp(d) - d - 1; the surrogate of advantage 0 is 0."""
    new = torch.full((2, 3), -1.0, dtype=dtype)
    loss, slope = loss_and_slope(new, new, new + delta, torch.zeros(2), torch.ones(2, 3), beta=0.5)
    assert loss == pytest.approx(0.5 * kl, rel=1e-5) and slope.isfinite().all()


class Constant(torch.nn.Module):
    """The same logits everywhere."""

    def __init__(self, logits, dtype=torch.float32):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.tensor(logits, dtype=dtype))

    def forward(self, tokens, attention_mask, position_ids):
        return self.logits.expand(*tokens.shape, -1)


@DTYPES
@pytest.mark.parametrize("temperature", [0.5, 1.5])
def test_logits_of_10000(dtype, temperature):
    """log p: 0 at the largest, else the distance over the temperature; entropy 0."""
    policy = Constant([1e4, -1e4, 0.0, 5.0], dtype)
    tokens = torch.tensor([[3, 0, 1, 2]])
    mask = torch.ones_like(tokens)
    logps, entropy = lm.token_logps(policy, tokens, mask, 3, temperature, entropy=True)
    expected = [0.0, -2e4 / temperature, -1e4 / temperature]
    assert logps[0].tolist() == pytest.approx(expected, rel=1e-6)
    assert entropy.tolist() == [[0.0] * 3]
    for old in (torch.zeros(1, 3), logps.detach(), torch.full((1, 3), -5e4)):
        policy.zero_grad()
        loss = lm.grpo_loss(logps, old.to(dtype), old.to(dtype), -torch.ones(1), torch.ones(1, 3))
        loss.backward(retain_graph=True)
        assert loss.isfinite() and policy.logits.grad.isfinite().all()


@DTYPES
def test_training_from_logits_of_10000(dtype):
    """Token 5 is certain, so ratio 1 and KL 0; the update goes through and everything is finite."""
    logits = [-1e4] * 14
    logits[5] = 1e4
    policy, history = lm.train(
        Constant(logits, dtype),
        lambda prompts, completions: [float(i) for i in range(len(prompts))],
        steps=2,
        prompts_per_step=2,
        group_size=3,
        max_new_tokens=4,
    )
    for metrics in history:
        assert all(map(math.isfinite, metrics.values()))
        assert (metrics["ratio"], metrics["kl"], metrics["entropy"]) == (1, 0, 0)
        assert (metrics["length"], metrics["skipped"]) == (4, 0)
    assert policy.logits.isfinite().all()


# Nothing


@DTYPES
@pytest.mark.parametrize("shape", [(2, 3), (4, 1), (2, 0), (0, 3)], ids=str)
def test_a_batch_of_padding_has_loss_0_and_gradient_0(dtype, shape):
    array, mask = torch.full(shape, -2.0, dtype=dtype), torch.zeros(shape)
    advantages = torch.full(shape[:1], 1.5)
    loss, slope = loss_and_slope(array, array - 1, array - 2, advantages, mask)
    assert loss == 0 and torch.equal(slope, torch.zeros(shape, dtype=dtype))
    assert lm.clip_fraction(array, array - 1, mask) == 0
    assert lm.masked_mean(array, mask.bool()) == 0


@DTYPES
def test_an_empty_row_is_as_if_it_were_not_there(dtype):
    """Ratio e^.1 = 1.105 in the range, advantages 1 and -1: -(2 - 1) * 1.105 / 3 real tokens."""
    new = torch.full((3, 2), -1.0, dtype=dtype)
    mask = torch.tensor([[1, 1], [0, 0], [1, 0]])
    advantages = torch.tensor([1.0, 7.0, -1.0])
    loss, slope = loss_and_slope(new, new - 0.1, new, advantages, mask)
    assert loss == pytest.approx(-math.exp(0.1) / 3, rel=1e-5)
    rows = [0, 2]
    kept = loss_and_slope(new[rows], new[rows] - 0.1, new[rows], advantages[rows], mask[rows])
    assert kept[0] == loss and torch.equal(kept[1], slope[rows]) and (slope[1] == 0).all()


def test_an_update_on_padding_alone_changes_nothing():
    policy = model()
    before = [weight.clone() for weight in policy.parameters()]
    rollout, advantages, ref = rollout_of(torch.zeros(3, 4, dtype=torch.bool))
    optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    metrics = lm.update(policy, optimizer, rollout, advantages, ref, micro_batch_size=2)
    assert set(metrics.values()) == {0.0}
    assert all(map(torch.equal, before, policy.parameters()))


# Rubbish under the padding


@DTYPES
@pytest.mark.parametrize("which", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)], ids=str)
@pytest.mark.parametrize("rubbish", [math.nan, math.inf, -math.inf, -1000.0, 200.0])
def test_rubbish_under_the_padding_of_new_old_and_ref(dtype, which, rubbish):
    """Bit for bit the value and the gradient without it, and no gradient on the padding."""
    generator = torch.Generator().manual_seed(0)
    arrays = list(torch.randn(3, 3, 4, generator=generator, dtype=dtype).sub(3))
    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])
    advantages = torch.tensor([1.0, -2.0, 0.5], dtype=dtype)
    loss, slope = loss_and_slope(*arrays, advantages, mask)
    share = lm.clip_fraction(*arrays[:2], mask)
    for index in which:
        arrays[index] = arrays[index].masked_fill(mask == 0, rubbish)
    spoilt, spoilt_slope = loss_and_slope(*arrays, advantages, mask)
    assert math.isfinite(spoilt) and spoilt == loss
    assert spoilt_slope.isfinite().all() and torch.equal(spoilt_slope, slope)
    assert (slope[mask == 0] == 0).all() and (slope[mask == 1] != 0).any()
    assert lm.clip_fraction(*arrays[:2], mask) == share


# Micro-batches


@st.composite
def ragged(draw):
    """A mask (N, T) of completion lengths 0 ... T, at least one token real."""
    width = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(0, width), min_size=2, max_size=6).filter(any))
    return torch.arange(width) < torch.tensor(lengths)[:, None]


@settings(stable, max_examples=25)
@given(ragged(), st.integers(1, 7), st.integers(0, 99))
@example(torch.arange(4) < torch.tensor([1, 4, 1, 4, 0])[:, None], 2, 0)
@example(torch.arange(4) < torch.tensor([0, 0, 3])[:, None], 1, 0)
def test_any_micro_batch_size_gives_the_unsplit_gradient_and_metrics(mask, size, seed):
    rollout, advantages, ref = rollout_of(mask, seed)

    def run(micro_batch_size):
        policy = model()
        optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
        options = {"micro_batch_size": micro_batch_size, "max_grad_norm": 1e9, "epochs": 2}
        metrics = lm.update(policy, optimizer, rollout, advantages, ref, **options)
        return torch.cat([weight.grad.flatten() for weight in policy.parameters()]), metrics

    (whole, expected), (split, metrics) = run(None), run(size)
    assert (split - whole).norm() <= 1e-6 * whole.norm() and whole.norm() > 0
    assert metrics == pytest.approx(expected, rel=1e-6, abs=1e-12)


@stable
@given(ragged(), st.integers(0, 99), st.randoms(use_true_random=False))
def test_any_partition_of_the_rows_adds_up_to_the_whole_loss(mask, seed, rng):
    """With the token count of the whole batch; parts of any sizes, in any order."""
    rollout, advantages, ref = rollout_of(mask, seed)
    new = rollout.old_logps + 0.3 * torch.sin(10 * ref)
    arrays = new, rollout.old_logps, ref, advantages, mask
    loss, slope = loss_and_slope(*arrays)
    rows = rng.sample(range(len(mask)), len(mask))
    cuts = [0, *sorted(rng.choices(range(len(mask) + 1), k=2)), len(mask)]
    total, parts = 0.0, torch.zeros_like(slope)
    for start, stop in zip(cuts, cuts[1:]):
        part = rows[start:stop]
        count = int(mask.sum())
        value, parts[part] = loss_and_slope(*(a[part] for a in arrays), token_count=count)
        total += value
    assert total == pytest.approx(loss, rel=1e-6, abs=1e-12)
    assert torch.allclose(parts, slope, rtol=1e-6, atol=1e-12)


# Bad arguments

TOKENS, VISIBLE = lm.pad_left(PROMPTS)
SHORT = {"steps": 1, "prompts_per_step": 2, "group_size": 2, "max_new_tokens": 2}


def sample(tokens=TOKENS, visible=VISIBLE, new_tokens=3, temperature=1.0):
    return lm.sample(model(), tokens, visible, new_tokens, temperature)


def advantages(rewards, group_size=2):
    return lm.group_advantages(torch.tensor(rewards), group_size)


def train(**changed):
    return lm.train(model(), **SHORT | changed)


REFUSED = {
    "temperature 0.0": lambda: sample(temperature=0.0),
    "temperature -0.5": lambda: sample(temperature=-0.5),
    "temperature nan": lambda: sample(temperature=math.nan),
    "temperature -1.0": lambda: lm.token_logps(model(), TOKENS, VISIBLE, 2, -1.0),
    "temperature 0": lambda: lm.token_logps(model(), TOKENS, VISIBLE, 2, 0),
    "temperature -2": lambda: train(temperature=-2),
    "max_new_tokens 0": lambda: sample(new_tokens=0),
    "max_new_tokens -3": lambda: train(max_new_tokens=-3),
    "group_size 0": lambda: lm.repeat_for_group(TOKENS, 0),
    "group_size -1": lambda: advantages([1.0, 2.0], -1),
    "group_size -2": lambda: train(group_size=-2),
    "prompts []": lambda: lm.pad_left([]),
    "prompts [[1, 5], []]": lambda: lm.pad_left([[1, 5], []]),
    "prompts [[]]": lambda: train(prompt_fn=lambda count, rng: [[]]),
    "prompts [ ]": lambda: sample(TOKENS[:0], VISIBLE[:0]),
    "prompts [[True, False]]": lambda: sample(TOKENS[:1, :2], torch.tensor([[True, False]])),
    "prompts [[False, False]]": lambda: sample(TOKENS[:1, :2], torch.tensor([[False, False]])),
    "prompts 7 26 32": lambda: sample(new_tokens=26),
    "prompts 31 2 32": lambda: train(prompt_fn=lambda count, rng: [[1] * 31]),
    "rewards (5,)": lambda: advantages([1.0] * 5),
    "rewards (2, 2)": lambda: advantages([[1.0, 2.0], [3.0, 4.0]]),
    "rewards nan": lambda: advantages([1.0, math.nan]),
    "rewards inf": lambda: advantages([math.inf, 1.0]),
    "rewards -inf": lambda: train(reward_fn=lambda p, c: [-math.inf, 0.0, 0.0, 1.0]),
    "rewards (3,) 4": lambda: train(reward_fn=lambda p, c: [1.0] * 3),
    "rewards (4, 1)": lambda: train(reward_fn=lambda p, c: [[1.0]] * 4),
    "rewards ()": lambda: train(reward_fn=lambda p, c: 1.0),
}


@pytest.mark.parametrize("named", REFUSED)
def test_a_bad_argument_is_named_with_its_value(named):
    with pytest.raises(ValueError) as caught:
        REFUSED[named]()
    name, *values = re.split(r" (?![^(\[]*[)\]])", named)
    message = str(caught.value)
    assert re.search(rf"\b{name}\b", message), message
    for value in values:
        value = value.replace("[ ]", "[]")
        assert re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w.])", message), message
    assert "\n" not in message


def test_the_limits_themselves_are_allowed():
    """25 new tokens fit behind 7 in 32 positions; a group of one has advantage 0."""
    assert sample(new_tokens=25).completions.shape[1] <= 25
    assert advantages([4.0, 5.0], 1).tolist() == [0.0, 0.0]
    assert lm.pad_left([[1]])[0].tolist() == [[1]]
    assert train(steps=0)[1] == []
    assert lm.reversal_prompts(0, random.Random(0)) == []
