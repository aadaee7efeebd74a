"""The sanity anchor of fixed/lm.py, and the agreement of its sampler with its scorer.

While no weight moves, a policy that is scored twice is the same policy: ratio exactly 1, KL
exactly 0, clip fraction 0, whatever the temperature, the padding and the micro-batches.
"""

import copy

import pytest
import torch

from fixed import lm

torch.set_num_threads(1)

PROMPTS = [[1, 5, 6, 3], [1, 7, 8, 9, 4, 5, 3], [1, 5, 3], [1, 4, 4, 4, 9, 3]]
GROUP_SIZE, NEW_TOKENS = 5, 8
ROWS = len(PROMPTS) * GROUP_SIZE
TEMPERATURES = (0.5, 1.0, 1.5)
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-5}
PRECISE = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
TEMPERED = pytest.mark.parametrize("temperature", TEMPERATURES)


def model(dtype=torch.float64):
    """A small policy with dropout, in training mode, surer of some tokens than of others."""
    torch.manual_seed(0)
    policy = lm.TinyLM(width=16, heads=2, dropout=0.3).to(dtype).train()
    with torch.no_grad():
        policy.head.weight *= 3
        policy.head.bias[lm.EOS] += 1.5  # so that about half of the rows end early
    return policy


def rollout(policy, temperature):
    rows = [lm.repeat_for_group(tensor, GROUP_SIZE) for tensor in lm.pad_left(PROMPTS)]
    sampled = lm.sample(policy, *rows, NEW_TOKENS, temperature, torch.Generator().manual_seed(0))
    lengths = sampled.mask.sum(dim=1)
    # What the tests below are about: some rows end early, and some never end.
    assert (sampled.ended & (lengths < NEW_TOKENS)).any() and not sampled.ended.all()
    assert torch.equal(
        lengths[~sampled.ended], torch.full_like(lengths, NEW_TOKENS)[~sampled.ended]
    )
    return sampled


@PRECISE
@TEMPERED
@pytest.mark.parametrize("micro_batch_size", [None, 1, 7], ids=str)
def test_at_learning_rate_0_nothing_moves(dtype, temperature, micro_batch_size, monkeypatch):
    """Two epochs over each of two rollouts: new, old and ref are equal to the last bit."""
    seen, grpo_loss = [], lm.grpo_loss

    def watched(new, old, ref, advantages, mask, *rest):
        assert torch.equal(new, old) and torch.equal(new, ref)
        seen.append(len(mask))
        return grpo_loss(new, old, ref, advantages, mask, *rest)

    monkeypatch.setattr(lm, "grpo_loss", watched)
    policy = model(dtype)
    before = copy.deepcopy(policy.state_dict())
    _, history = lm.train(
        policy,
        prompt_fn=lambda count, rng: PROMPTS[:count],
        steps=2,
        prompts_per_step=len(PROMPTS),
        group_size=GROUP_SIZE,
        max_new_tokens=NEW_TOKENS,
        temperature=temperature,
        lr=0.0,
        epochs=2,
        micro_batch_size=micro_batch_size,
    )
    assert sum(seen) == 2 * 2 * ROWS and max(seen) == (micro_batch_size or ROWS)
    for metrics in history:
        assert (metrics["ratio"], metrics["kl"], metrics["clip_frac"]) == (1, 0, 0)
        assert metrics["grad_norm"] > 0 and metrics["skipped"] == 0
        assert 0 < metrics["eos_share"] < 1
        assert metrics["sampler_gap"] <= TOLERANCE[dtype]
    assert all(torch.equal(value, before[name]) for name, value in policy.state_dict().items())


@PRECISE
@TEMPERED
def test_the_sampler_reports_what_is_scored_later(dtype, temperature):
    """Column by column over growing rows, or all columns at once: the same log-probs."""
    policy = model(dtype)
    sampled = rollout(policy, temperature)
    scored = lm.token_logps(
        policy.train(), sampled.tokens, sampled.attention_mask, NEW_TOKENS, temperature
    )
    gap = (scored - sampled.old_logps)[sampled.mask].abs().max().item()
    assert gap <= TOLERANCE[dtype]
    assert torch.equal(scored, lm.score_rollout(policy, sampled))
    assert scored.requires_grad and not sampled.old_logps.requires_grad


@PRECISE
@TEMPERED
def test_a_prompt_alone_and_the_same_prompt_padded_agree(dtype, temperature):
    """Each row again without its padding on the left and on the right, one at a time."""
    policy = model(dtype)
    sampled = rollout(policy, temperature)
    for row, real in enumerate(sampled.attention_mask):
        tokens, length = sampled.tokens[row][real][None], int(sampled.mask[row].sum())
        prompt = PROMPTS[row // GROUP_SIZE]
        assert tokens[0, :-length].tolist() == prompt
        alone = lm.token_logps(policy, tokens, torch.ones_like(tokens), length, temperature)
        gap = (alone[0] - sampled.old_logps[row, :length]).abs().max().item()
        assert gap <= TOLERANCE[dtype]


@TEMPERED
def test_a_prompt_alone_and_the_same_prompt_padded_sample_alike(temperature):
    """Drawn with one generator from one distribution, three spare columns of padding or none."""
    policy, prompt = model(), PROMPTS[0]
    tokens = torch.tensor([prompt] * 6)
    spare = torch.full((6, 3), 9)
    padded = torch.cat([spare, tokens], dim=1)
    mask = torch.cat([spare < 0, tokens >= 0], dim=1)
    drawn = [
        lm.sample(policy, *given, NEW_TOKENS, temperature, torch.Generator().manual_seed(2))
        for given in ((tokens, tokens >= 0), (padded, mask))
    ]
    assert torch.equal(drawn[0].completions, drawn[1].completions)
    assert torch.allclose(drawn[0].old_logps, drawn[1].old_logps, atol=1e-12)


@TEMPERED
def test_tokens_are_drawn_from_the_distribution_that_is_reported(temperature):
    """Logits log 1 ... log 5, so p_v is v^(1/t) over their sum; 20000 draws, 5 standard errors."""
    weights = torch.arange(1.0, 6.0, dtype=torch.float64)

    def policy(tokens, attention_mask, position_ids):
        return weights.log().expand(*tokens.shape, -1)

    count = 20_000
    tokens = torch.ones(count, 1, dtype=torch.long)
    drawn = lm.sample(
        policy, tokens, tokens, 1, temperature, torch.Generator().manual_seed(1)
    ).completions
    p = weights ** (1 / temperature)
    p = p / p.sum()
    shares = torch.bincount(drawn.flatten(), minlength=5) / count
    assert ((shares - p).abs() <= 5 * (p * (1 - p) / count).sqrt()).all()
    scored = lm.token_logps(policy, torch.tensor([[0, 1, 2, 3, 4]]), tokens[:1], 4, temperature)
    assert torch.allclose(scored[0], p[1:].log(), rtol=1e-12)


def test_a_row_that_has_ended_stays_ended():
    """Every policy wants EOS at once: one token each, padding after it none, T = 1."""

    def policy(tokens, attention_mask, position_ids):
        return 1e4 * torch.nn.functional.one_hot(torch.full_like(tokens, lm.EOS), 14).double()

    sampled = lm.sample(policy, *lm.pad_left(PROMPTS), NEW_TOKENS)
    assert sampled.completions.tolist() == [[lm.EOS]] * len(PROMPTS)
    assert sampled.ended.all() and sampled.mask.all()
    assert (sampled.old_logps == 0).all()
