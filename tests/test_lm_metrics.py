"""Every metric that train of fixed/lm.py reports, against the formula, row by row and unpadded.

What the formulas start from is seen from outside: prompts, completions and rewards in reward_fn,
weights in a hook on the policy. Then every row is scored again alone, without any padding, mask or
batch, and the metrics are written out from its log-probs.
"""

import math
import statistics

import numpy as np
import oracle
import pytest
import torch

from fixed import lm

torch.set_num_threads(1)

PROMPTS = [[1, 5, 6, 3], [1, 7, 8, 9, 4, 5, 3], [1, 5, 3]]
GROUP_SIZE, NEW_TOKENS, STEPS, EPOCHS, TEMPERATURE, BETA, CLIP = 4, 5, 3, 2, 0.8, 0.3, 0.1
DRIFT = 1.25  # the sampler's logits are this much larger, so that sampler_gap has something to see
METRICS = {"reward", "kl", "clip_frac", "entropy", "ratio", "grad_norm", "tied_share", "length"}
METRICS |= {"eos_share", "loss", "skipped", "sampler_gap"}


class Drifting(lm.TinyLM):
    """A TinyLM whose logits can be scaled."""

    scale = 1.0

    def forward(self, *inputs):
        return self.scale * super().forward(*inputs)


def model():
    torch.manual_seed(0)
    policy = Drifting(width=16, heads=2, dropout=0.3).double()
    policy.head.bias.data[lm.EOS] += 1  # so that some rows end early and some never
    return policy


def scores(weights, prompt, completion, scale=1.0):
    """Logits of one row alone, tempered -> log-probs (T,) and entropies (T,) of its completion."""
    policy = model()
    row = torch.tensor([prompt + completion])
    everywhere, places = torch.ones_like(row).bool(), torch.arange(row.shape[1])[None]
    logits = torch.func.functional_call(policy.eval(), weights, (row, everywhere, places))[0]
    logits = scale * logits[len(prompt) - 1 : -1] / TEMPERATURE  # position t - 1 scores token t
    logps = logits - logits.exp().sum(dim=1, keepdim=True).log()
    entropies = -(logps.exp() * logps).sum(dim=1)
    return logps[torch.arange(len(completion)), completion], entropies


def recorded(micro_batch_size, lr=0.05):
    """A run of train and what went into each step: (history, steps, weights at the start)."""
    policy, steps = model(), []
    start = {name: value.clone() for name, value in policy.state_dict().items()}

    def prompt_fn(count, rng):
        policy.scale = DRIFT
        steps.append({"weights": [], "metrics": None})
        return PROMPTS[:count]

    def reward_fn(prompts, completions):
        policy.scale = 1.0
        rewards = [sum(completion) % 7 / 7 for completion in completions]
        rewards[:GROUP_SIZE] = [0.3] * GROUP_SIZE
        steps[-1] |= {"prompts": prompts, "completions": completions, "rewards": rewards}
        return rewards

    def before_each_pass(module, inputs):
        weights = {name: value.detach().clone() for name, value in module.named_parameters()}
        if module is policy and torch.is_grad_enabled():
            steps[-1]["weights"].append(weights)

    def on_step(metrics):
        steps[-1]["metrics"] = dict(metrics)

    policy.register_forward_pre_hook(before_each_pass)
    _, history = lm.train(
        policy,
        reward_fn=reward_fn,
        prompt_fn=prompt_fn,
        steps=STEPS,
        prompts_per_step=len(PROMPTS),
        group_size=GROUP_SIZE,
        max_new_tokens=NEW_TOKENS,
        temperature=TEMPERATURE,
        lr=lr,
        on_step=on_step,
        epochs=EPOCHS,
        micro_batch_size=micro_batch_size,
        beta=BETA,
        clip_eps=CLIP,
    )
    assert [step["metrics"] for step in steps] == history
    return history, steps, start


def of_the_rows(step):
    """The metrics that the rows alone decide."""
    rewards, completions = step["rewards"], step["completions"]
    groups = [rewards[i : i + GROUP_SIZE] for i in range(0, len(rewards), GROUP_SIZE)]
    rows = list(zip(step["prompts"], completions))
    weights = step["weights"][0]
    gaps = [scores(weights, *row, DRIFT)[0] - scores(weights, *row)[0] for row in rows]
    return {
        "reward": statistics.fmean(rewards),
        "tied_share": statistics.fmean(len(set(group)) == 1 for group in groups),
        "length": statistics.fmean(map(len, completions)),
        "eos_share": statistics.fmean(completion[-1] == lm.EOS for completion in completions),
        "sampler_gap": torch.cat(gaps).detach().abs().max().item(),
    }


def of_an_epoch(step, weights, start):
    """The metrics of one pass with these weights, over the real tokens of all rows."""
    rows = list(zip(step["prompts"], step["completions"]))
    weights = {name: value.requires_grad_() for name, value in weights.items()}
    new, entropy = map(torch.cat, zip(*(scores(weights, *row) for row in rows)))
    old, ref = (
        torch.cat([scores(w, *row)[0].detach() for row in rows])
        for w in (step["weights"][0], start)
    )
    per_row = oracle.advantages(np.array(step["rewards"]), GROUP_SIZE)
    advantages = torch.tensor(np.repeat(per_row, [len(c) for c in step["completions"]]))
    ratio = torch.exp(new - old)
    surrogate = torch.minimum(ratio * advantages, ratio.clip(1 - CLIP, 1 + CLIP) * advantages)
    kl = torch.exp(ref - new) - (ref - new) - 1
    loss = (BETA * kl - surrogate).sum() / len(new)
    slopes = torch.autograd.grad(loss, list(weights.values()))
    return {
        "loss": loss.item(),
        "grad_norm": math.sqrt(sum(slope.square().sum().item() for slope in slopes)),
        "entropy": entropy.mean().item(),
        "kl": kl.mean().item(),
        "ratio": ratio.mean().item(),
        "clip_frac": ((ratio - 1).abs() > CLIP).double().mean().item(),
        "skipped": 0,
    }


@pytest.mark.parametrize("micro_batch_size", [None, 5], ids=str)
def test_the_metrics_of_train(micro_batch_size):
    history, steps, start = recorded(micro_batch_size)
    rows = len(PROMPTS) * GROUP_SIZE
    passes = -(-rows // (micro_batch_size or rows))  # forward passes per epoch
    for metrics, step in zip(history, steps):
        assert set(metrics) == METRICS
        assert step["prompts"] == [prompt for prompt in PROMPTS for _ in range(GROUP_SIZE)]
        assert len(step["weights"]) == EPOCHS * passes
        epochs = [of_an_epoch(step, weights, start) for weights in step["weights"][::passes]]
        expected = {name: statistics.fmean(epoch[name] for epoch in epochs) for name in epochs[0]}
        assert metrics == pytest.approx(expected | of_the_rows(step), rel=1e-9, abs=1e-12)
    # Nothing above was compared at a value where a wrong formula is right too.
    last = history[-1]
    for name in ("tied_share", "eos_share", "clip_frac"):
        assert 0 < last[name] < 1
    assert last["kl"] > 0.01 and abs(last["ratio"] - 1) > 0.01 and last["sampler_gap"] > 0.01
    assert 1 < last["length"] < NEW_TOKENS and last["grad_norm"] > 0.01


def made(mask, seed=0):
    """A rollout of ragged prompts and completions, random but for its mask (N, T); ref and A."""
    generator = torch.Generator().manual_seed(seed)
    count, width = mask.shape
    prompts, visible = lm.pad_left([PROMPTS[row % len(PROMPTS)] for row in range(count)])
    completions = torch.randint(4, 14, (count, width), generator=generator)
    tokens = torch.cat([prompts, completions], dim=1)
    attention_mask = torch.cat([visible, mask], dim=1)
    old, ref = (
        torch.randn(2, *mask.shape, generator=generator, dtype=torch.float64).abs().add(2).neg()
    )
    advantages = torch.randn(count, generator=generator, dtype=torch.float64)
    ended = torch.zeros(count, dtype=torch.bool)
    return lm.Rollout(tokens, attention_mask, completions, mask, old, ended), advantages, ref


MASK = torch.arange(4) < torch.tensor([1, 4, 2, 3, 4])[:, None]


def updated(rollout, advantages, ref, **options):
    """update by plain gradient descent: its metrics, and how far the weights went."""
    policy = model()
    before = torch.cat([w.detach().flatten() for w in policy.parameters()])
    optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    metrics = lm.update(policy, optimizer, rollout, advantages, ref, **options)
    after = torch.cat([w.detach().flatten() for w in policy.parameters()])
    return metrics, (after - before).norm().item()


@pytest.mark.parametrize("rubbish", [math.nan, math.inf, -math.inf, -1000.0, 50.0])
def test_what_lies_under_the_padding_changes_no_metric(rubbish):
    rollout, advantages, ref = made(MASK)
    expected = updated(rollout, advantages, ref)
    rollout.old_logps = rollout.old_logps.masked_fill(~MASK, rubbish)
    assert updated(rollout, advantages, ref.masked_fill(~MASK, rubbish)) == expected
    assert all(map(math.isfinite, expected[0].values()))


def test_more_padding_on_either_side_changes_no_metric():
    """Three more columns before the prompts, two more after the completions."""
    rollout, advantages, ref = made(MASK)
    expected, _ = updated(rollout, advantages, ref)

    def wider(tensor, before, after, value):
        return torch.nn.functional.pad(tensor, (before, after), value=value)

    wide = lm.Rollout(
        wider(rollout.tokens, 3, 2, 7),
        wider(rollout.attention_mask, 3, 2, False),
        wider(rollout.completions, 0, 2, 7),
        wider(MASK, 0, 2, False),
        wider(rollout.old_logps, 0, 2, 1.5),
        rollout.ended,
    )
    metrics, _ = updated(wide, advantages, wider(ref, 0, 2, 1.5))
    assert metrics == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_gradient_norm_is_the_one_before_clipping():
    """Descent with rate 1 goes as far as the clipped gradient is long."""
    rollout, advantages, ref = made(MASK)
    free, distance = updated(rollout, advantages, ref, epochs=1, max_grad_norm=1e9)
    assert distance == pytest.approx(free["grad_norm"], rel=1e-9) and distance > 0.1
    bound, distance = updated(rollout, advantages, ref, epochs=1, max_grad_norm=0.1)
    assert bound["grad_norm"] == free["grad_norm"]
    assert distance == pytest.approx(0.1, rel=1e-4)  # torch divides by the norm + 1e-6


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("bad_epochs", [{0}, {1}, {0, 2}, {0, 1, 2}], ids=str)
def test_a_gradient_that_is_not_finite_is_skipped_and_counted(poison, bad_epochs):
    """Three epochs by plain descent; the weights move in the other ones only."""
    policy, history = model(), []
    rollout, advantages, ref = made(MASK)
    weight = policy.head.bias

    def spoil(grad):
        history.append(weight.detach().clone())
        return torch.full_like(grad, poison) if len(history) - 1 in bad_epochs else grad

    weight.register_hook(spoil)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    metrics = lm.update(policy, optimizer, rollout, advantages, ref, epochs=3)
    history.append(weight.detach())
    assert metrics["skipped"] == len(bad_epochs)
    assert not math.isfinite(metrics["grad_norm"])
    for epoch, (before, after) in enumerate(zip(history, history[1:])):
        assert torch.equal(before, after) == (epoch in bad_epochs)
    assert all(w.isfinite().all() for w in policy.parameters())


def test_a_skipped_update_of_adam_leaves_weights_and_state_alone():
    """Weight decay and old momentum would move the weights even along a gradient of zeros."""
    policy, options = model(), {"epochs": 1}
    optimizer = torch.optim.AdamW(policy.parameters(), lr=0.1, weight_decay=0.5)
    rollout, advantages, ref = made(MASK)
    assert lm.update(policy, optimizer, rollout, advantages, ref, **options)["skipped"] == 0
    before = [weight.detach().clone() for weight in policy.parameters()]
    bad = advantages * math.nan
    assert lm.update(policy, optimizer, rollout, bad, ref, **options)["skipped"] == 1
    assert all(map(torch.equal, before, policy.parameters()))
    assert {int(state["step"]) for state in optimizer.state.values()} == {1}


def test_entropy_of_known_distributions():
    """Probabilities 1/2, 1/4, 1/4: 1.5 log 2 nats at temperature 1; equal ones: log 3."""
    logits = torch.tensor([[0.5, 0.25, 0.25], [1.0, 1.0, 1.0]]).double().log()

    def policy(tokens, attention_mask, position_ids):
        return logits[:, None].expand(-1, tokens.shape[1], -1)

    tokens = torch.tensor([[1, 0, 1], [1, 2, 0]])
    _, entropy = lm.token_logps(policy, tokens, torch.ones_like(tokens), 2, entropy=True)
    expected = [[1.5 * math.log(2)] * 2, [math.log(3)] * 2]
    assert entropy.tolist() == pytest.approx(np.array(expected), rel=1e-12)
    # At temperature 1/2 the probabilities are squared: 4/6, 1/6, 1/6.
    _, entropy = lm.token_logps(policy, tokens, torch.ones_like(tokens), 2, 0.5, entropy=True)
    sharp = -(4 / 6 * math.log(4 / 6) + 2 / 6 * math.log(1 / 6))
    assert entropy[0].tolist() == pytest.approx([sharp] * 2, rel=1e-12)


def test_a_reward_model_is_called_as_it_is_and_gets_no_gradient():
    """reward_fn may be a module: the reward is its output's mean, and its weight has no .grad."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor(0.25))

        def forward(self, prompts, completions):
            return self.weight * torch.tensor([float(len(c)) for c in completions])

    reward_fn = Model()
    _, history = lm.train(model(), reward_fn, steps=2, prompts_per_step=3, group_size=4)
    assert reward_fn.weight.grad is None
    for metrics in history:
        assert metrics["reward"] == pytest.approx(0.25 * metrics["length"], rel=1e-6)
