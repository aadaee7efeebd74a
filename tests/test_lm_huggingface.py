"""Hugging Face causal LMs through fixed/lm.py: the anchor, a few rollouts, and docs/huggingface.md.

GPT-2 (learned absolute positions) and Llama (rotary ones), built in code; nothing is downloaded.
"""

import math
import re
from pathlib import Path

import pytest
import torch
import transformers

from fixed import lm

torch.set_num_threads(1)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "huggingface.md"
PROMPTS = [[1, 5, 6, 3], [1, 7, 8, 9, 4, 5, 3], [1, 5, 3]]
GROUP_SIZE, NEW_TOKENS = 6, 8
RUN = {"prompts_per_step": len(PROMPTS), "group_size": GROUP_SIZE, "max_new_tokens": NEW_TOKENS}
RUN["prompt_fn"] = lambda count, rng: PROMPTS[:count]


def code_of_the_page():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return block


@pytest.fixture(scope="module")
def page():
    """What the code block of the page leaves behind."""
    torch.manual_seed(0)
    names = {}
    exec(compile(code_of_the_page(), str(PAGE), "exec"), names)
    return names


def gpt2(attention):
    sizes = {"n_positions": 32, "n_embd": 32, "n_layer": 2, "n_head": 4}
    tokens = {"vocab_size": lm.VOCAB, "bos_token_id": lm.BOS, "eos_token_id": lm.EOS}
    config = transformers.GPT2Config(**sizes, **tokens, attn_implementation=attention)
    return transformers.GPT2LMHeadModel(config)


def llama(attention):
    sizes = {"max_position_embeddings": 32, "hidden_size": 32, "intermediate_size": 48}
    layers = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    tokens = {"vocab_size": lm.VOCAB, "bos_token_id": lm.BOS, "eos_token_id": lm.EOS}
    config = transformers.LlamaConfig(**sizes, **layers, **tokens, attn_implementation=attention)
    return transformers.LlamaForCausalLM(config)


FLOAT32, FLOAT64 = (torch.float32, 1e-5), (torch.float64, 1e-6)
KINDS = {
    "gpt2": (gpt2, "eager", *FLOAT32),
    "gpt2 float64": (gpt2, "eager", *FLOAT64),
    "gpt2 sdpa": (gpt2, "sdpa", *FLOAT32),
    "llama": (llama, "eager", *FLOAT32),
    "llama sdpa": (llama, "sdpa", *FLOAT32),
    "llama sdpa float64": (llama, "sdpa", *FLOAT64),
}


@pytest.fixture(params=KINDS)
def kind(request, page):
    """(policy, tolerance): a policy whose logits are far from uniform, so that positions matter."""
    build, attention, dtype, tolerance = KINDS[request.param]
    torch.manual_seed(0)
    policy = page["Policy"](build(attention)).to(dtype)
    with torch.no_grad():
        for weight in policy.parameters():
            weight *= 4 if weight.ndim == 2 else 1
    return policy, tolerance


def test_the_page_is_short_and_its_code_runs(page):
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 60
    wrapper = re.search(r"class Policy.*?\.logits\n", code_of_the_page(), re.S).group()
    assert len([line for line in wrapper.splitlines() if line]) <= 10
    assert len(page["history"]) == 3
    assert all(math.isfinite(value) for metrics in page["history"] for value in metrics.values())
    assert page["history"][-1]["kl"] > 0
    with pytest.raises(ValueError, match=r"prompts of .* 32 positions"):
        lm.train(page["policy"], steps=1, max_new_tokens=32)


@pytest.mark.parametrize("micro_batch_size", [None, 5], ids=str)
@pytest.mark.parametrize("temperature", [0.5, 1.5])
def test_the_anchor(kind, temperature, micro_batch_size):
    policy, tolerance = kind
    before = [weight.detach().clone() for weight in policy.parameters()]
    options = RUN | {"temperature": temperature, "micro_batch_size": micro_batch_size}
    _, history = lm.train(policy, steps=2, lr=0.0, epochs=2, **options)
    for metrics in history:
        assert (metrics["ratio"], metrics["kl"], metrics["clip_frac"]) == (1, 0, 0)
        assert metrics["sampler_gap"] <= tolerance and metrics["grad_norm"] > 0
    assert all(map(torch.equal, before, policy.parameters()))


def sampled(policy):
    rows = [lm.repeat_for_group(tensor, GROUP_SIZE) for tensor in lm.pad_left(PROMPTS)]
    return lm.sample(policy, *rows, NEW_TOKENS, 1.0, torch.Generator().manual_seed(0))


def largest_gap(policy, rollout):
    """Between the sampler's log-probs in the padded batch and those of each row alone."""
    gaps = []
    for row, real in enumerate(rollout.attention_mask):
        tokens, length = rollout.tokens[row][real][None], int(rollout.mask[row].sum())
        alone = lm.token_logps(policy, tokens, torch.ones_like(tokens), length)[0]
        gaps.append((alone - rollout.old_logps[row, :length]).abs().max().item())
    return max(gaps)


def test_a_prompt_alone_and_the_same_prompt_padded_agree(kind):
    policy, tolerance = kind
    rollout = sampled(policy)
    assert rollout.ended.any() and not rollout.mask.all()
    assert largest_gap(policy, rollout) <= tolerance


@pytest.mark.parametrize(("build", "forgiving"), [(gpt2, False), (llama, True)])
def test_without_position_ids_absolute_positions_go_wrong(build, forgiving):
    """As the page says: GPT-2 counts the padding too, Llama's rotary positions are relative."""
    torch.manual_seed(0)
    model = build("eager").eval()

    def policy(tokens, attention_mask, position_ids):
        return model(tokens, attention_mask=attention_mask.long(), use_cache=False).logits

    gap = largest_gap(policy, sampled(policy))
    assert gap < 1e-5 if forgiving else gap > 1e-2


def test_a_few_rollouts_train_it(kind):
    policy, _ = kind
    before = [weight.detach().clone() for weight in policy.parameters()]
    trained, history = lm.train(policy, steps=3, lr=3e-3, **RUN)
    assert trained is policy and len(history) == 3
    assert history[0]["grad_norm"] > 0 and history[-1]["kl"] > 0
    assert sum(metrics["skipped"] for metrics in history) == 0
    moved = [not torch.equal(b, weight) for b, weight in zip(before, policy.parameters())]
    assert all(moved) and all(weight.isfinite().all() for weight in policy.parameters())


def test_another_token_may_end_a_completion(page, monkeypatch):
    """lm.EOS = ..., as the page says."""
    monkeypatch.setattr(lm, "EOS", 9)
    torch.manual_seed(0)
    rollout = sampled(page["Policy"](gpt2("eager")))
    assert rollout.ended.any()
    for completion, real, ended in zip(rollout.completions, rollout.mask, rollout.ended):
        assert ended == (completion[real][-1] == 9) and 9 not in completion[real][:-1]
