"""What the kata tests of the lm track ask of a trainer, in plain numbers and lists.

Every function here takes `call`, which calls a function of the trainer by its name, then what could
cross a process boundary as JSON: numbers, lists, and policies and rewards by name. It builds the
tensors, calls the trainer, and returns plain numbers and lists.

Policies: {"name": "constant", "logits": [...]} says the same everywhere; {"name": "successor"} is all
but certain of the token after the last one; {"name": "positions"} goes by the position ids alone;
{"name": "tiny"} is the trainer's own TinyLM, from a fixed seed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from kata.answers import Broken, read_array

Call = Callable[..., Any]
Numbers = list
torch.set_num_threads(1)  # these tensors are tiny: threads would only cost time

VOCABULARY = 20  # of the policies that are not given their logits


class Constant(nn.Module):
    """The same logits at every position: the sum of `parts` parameters, of which the first begins
    with all of them."""

    def __init__(self, logits: list[float], dtype: torch.dtype = torch.float64, parts: int = 1):
        super().__init__()
        first = torch.tensor(logits, dtype=dtype)
        rest = [torch.zeros_like(first) for _ in range(parts - 1)]
        self.parts = nn.ParameterList([first, *rest])

    @property
    def logits(self) -> torch.Tensor:
        return sum(self.parts)

    def forward(self, tokens, attention_mask, position_ids):
        return self.logits.expand(*tokens.shape, -1)


def successor(tokens, attention_mask, position_ids):
    following = (tokens + 1).clamp(max=VOCABULARY - 1)
    return 60.0 * nn.functional.one_hot(following, VOCABULARY).double()


def positions(tokens, attention_mask, position_ids, scale=1.0):
    slopes = torch.arange(VOCABULARY, dtype=torch.float64) / VOCABULARY
    return scale * position_ids[..., None] * slopes


def policy(call: Call, spec: dict[str, Any]) -> Callable[..., torch.Tensor]:
    """The policy that a test names."""
    match spec["name"]:
        case "constant":
            return Constant(spec["logits"], getattr(torch, spec.get("dtype", "float64")))
        case "tiny":
            torch.manual_seed(spec.get("seed", 0))
            return call("TinyLM")
        case "successor":
            return successor
        case _:
            return partial(positions, scale=spec.get("scale", 1.0))


def ints(values: Numbers) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64)


def floats(values: Numbers, dtype: str = "float64") -> torch.Tensor:
    return torch.tensor(values, dtype=getattr(torch, dtype))


def bools(values: Numbers) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.bool)


def part(value: Any, name: str, attribute: str) -> Any:
    """An attribute of what a function returned. Raises Broken if it has none."""
    if not hasattr(value, attribute):
        raise Broken(f"{name} returned a {type(value).__name__} without `{attribute}`.")
    return getattr(value, attribute)


def pad_left(call: Call, prompts: Numbers) -> dict[str, Numbers]:
    returned = call("pad_left", prompts)
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise Broken("pad_left returned something else than tokens and attention_mask.")
    return {
        name: read_array(value, (len(prompts), None), f"pad_left returned, for {name},")
        for name, value in zip(("tokens", "attention_mask"), returned)
    }


def repeat_for_group(call: Call, rows: Numbers, group_size: int) -> Numbers:
    returned = call("repeat_for_group", ints(rows), group_size)
    return read_array(returned, (len(rows) * group_size, None), "repeat_for_group returned")


def position_ids(call: Call, attention_mask: Numbers) -> Numbers:
    shape = len(attention_mask), len(attention_mask[0])
    return read_array(call("position_ids", bools(attention_mask)), shape, "position_ids returned")


def completion_mask(call: Call, completions: Numbers) -> Numbers:
    shape = len(completions), len(completions[0])
    returned = call("completion_mask", ints(completions))
    return read_array(returned, shape, "completion_mask returned")


def token_logps(
    call: Call,
    spec: dict[str, Any],
    tokens: Numbers,
    attention_mask: Numbers,
    width: int,
    temperature: float = 1.0,
    times: int = 1,
) -> list[Numbers]:
    """The log-probs of the last `width` tokens, scored `times` times with one policy."""
    scorer = policy(call, spec)
    arguments = scorer, ints(tokens), bools(attention_mask), width
    return [
        read_array(
            call("token_logps", *arguments, temperature=temperature),
            (len(tokens), width),
            "token_logps returned",
        )
        for _ in range(times)
    ]


def sample(
    call: Call,
    spec: dict[str, Any],
    prompts: Numbers,
    max_new_tokens: int,
    temperature: float = 1.0,
    seed: int = 0,
    times: int = 1,
) -> list[dict[str, Numbers]]:
    """`times` rollouts of one policy, each drawn with a generator of the same seed.

    Each as completions, mask, old_logps and ended, and `scored`: what token_logps says of it.
    """
    sampler, found = policy(call, spec), []
    for _ in range(times):
        generator = torch.Generator().manual_seed(seed)
        tokens, attention_mask = call("pad_left", prompts)
        rollout = call(
            "sample",
            *(sampler, tokens, attention_mask, max_new_tokens),
            temperature=temperature,
            generator=generator,
        )
        rows = {}
        for name in ("completions", "mask", "old_logps"):
            value = part(rollout, "sample", name)
            rows[name] = read_array(value, (len(prompts), None), f"sample returned, for {name},")
        ended = part(rollout, "sample", "ended")
        rows["ended"] = read_array(ended, (len(prompts),), "sample returned, for ended,")
        width = len(rows["completions"][0])
        scored = call(
            "token_logps",
            *(sampler, rollout.tokens, rollout.attention_mask, width),
            temperature=temperature,
        )
        rows["scored"] = read_array(scored, (len(prompts), width), "token_logps returned")
        found.append(rows)
    return found


def group_advantages(
    call: Call, rewards: Numbers, group_size: int, dtype: str = "float64"
) -> Numbers:
    returned = call("group_advantages", floats(rewards, dtype), group_size)
    return read_array(returned, (len(rewards),), "group_advantages returned")


def loss(
    call: Call,
    new: Numbers,
    old: Numbers,
    ref: Numbers,
    advantages: Numbers,
    mask: Numbers,
    dtype: str = "float64",
    **options: Any,
) -> dict[str, Any]:
    """grpo_loss, and its gradients by new, old and ref (zeros where none arrives)."""
    logps = {
        name: floats(values, dtype).requires_grad_()
        for name, values in (("new", new), ("old", old), ("ref", ref))
    }
    returned = call("grpo_loss", *logps.values(), floats(advantages, dtype), bools(mask), **options)
    answer: dict[str, Any] = {"loss": read_array(returned, (), "grpo_loss returned")}
    if getattr(returned, "requires_grad", False):
        returned.backward()
    for name, leaf in logps.items():
        answer[name] = torch.zeros_like(leaf).tolist() if leaf.grad is None else leaf.grad.tolist()
    return answer


def clip_fraction(
    call: Call, new: Numbers, old: Numbers, mask: Numbers, clip_eps: float = 0.2
) -> float:
    returned = call("clip_fraction", floats(new), floats(old), bools(mask), clip_eps)
    return read_array(returned, (), "clip_fraction returned")


def reference(call: Call, logits: list[float], moved: list[float]) -> dict[str, Any]:
    """What the reference says after the policy moved from `logits` to `moved`, and whether the
    policy can still be trained."""
    trained = Constant(logits)
    frozen = call("make_reference", trained)
    with torch.no_grad():
        trained.parts[0].copy_(floats(moved))
    asked = ints([[4, 5]]), bools([[1, 1]]), ints([[0, 1]])
    said = frozen(*asked)[0, 0]
    return {
        "reference": read_array(said, (len(logits),), "the reference said"),
        "trainable": trained.parts[0].requires_grad,
    }


def update(
    call: Call,
    logits: list[float],
    completions: Numbers,
    advantages: list[Numbers],
    lr: float = 1.0,
    max_grad_norm: float = 1e9,
    lengths: list[int] | None = None,
    ref_shifts: list[float] | None = None,
    parts: int = 1,
    **options: Any,
) -> list[dict[str, Any]]:
    """Updates of a constant policy by plain gradient descent, one for each list of advantages.

    completions: (N, T), sampled by the policy as it stands at the start of each update, of `lengths`
    tokens (default: T); the reference is the start of the first, a row's log-probs shifted by
    `ref_shifts`. For each update its metrics, the logits after it, and how far all weights moved.
    """
    trained, found = Constant(logits, parts=parts), []
    optimizer = torch.optim.SGD(trained.parameters(), lr=lr)
    real = torch.arange(len(completions[0])) < ints(lengths or [len(completions[0])])[:, None]
    real = real.expand(len(completions), -1)
    shifts = floats(ref_shifts or [0.0] * len(completions))[:, None] * real
    ref_logps = torch.log_softmax(floats(logits), dim=-1)[ints(completions)] + shifts
    for each in advantages:
        before = [part.detach().clone() for part in trained.parts]
        old_logps = torch.log_softmax(trained.logits.detach(), dim=-1)[ints(completions)]
        metrics = call(
            "update",
            *(trained, optimizer, rollout_of(call, completions, real, old_logps)),
            *(floats(each), ref_logps.clone()),
            max_grad_norm=max_grad_norm,
            **options,
        )
        if not isinstance(metrics, dict):
            raise Broken(f"update returned a {type(metrics).__name__} where a dict was expected.")
        plain = {name: read_array(metrics[name], (), f"metric {name}:") for name in metrics}
        moved = torch.stack([part.detach() - was for part, was in zip(trained.parts, before)])
        found.append(
            {"metrics": plain, "logits": trained.logits.tolist(), "moved": moved.norm().item()}
        )
    return found


def rollout_of(
    call: Call, completions: Numbers, real: torch.Tensor, old_logps: torch.Tensor
) -> Any:
    """A rollout: one prompt token in each row, then the completion, which is `real` or padding."""
    drawn = ints(completions)
    prompts = torch.ones(len(drawn), 1, dtype=torch.int64)
    return call(
        "Rollout",
        tokens=torch.cat([prompts, drawn], dim=1),
        attention_mask=torch.cat([prompts.bool(), real], dim=1),
        completions=drawn,
        mask=real,
        old_logps=old_logps.clone(),
        ended=torch.zeros(len(drawn), dtype=torch.bool),
        temperature=1.0,
    )


class Length(nn.Module):
    """A reward model: a weighed sum of what is counted in a completion."""

    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.tensor([1.0, 0.5, 0.25], dtype=torch.float64))

    def forward(self, prompts, completions):
        counts = [[len(row), row.count(3), sum(row) / len(row)] for row in completions]
        return floats(counts) @ self.weights


def train(
    call: Call,
    logits: list[float],
    steps: int,
    seed: int = 0,
    turns: list[float] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Train a constant policy on a reward model that is itself differentiable; step k's rewards are
    multiplied by turns[k].

    Returns the completions of every step, the history, the gradient that reached the reward model,
    and the logits at the end.
    """
    trained, reward_model, seen = Constant(logits), Length(), []

    def reward_fn(prompts, completions):
        seen.append([list(row) for row in completions])
        return reward_model(prompts, completions) * (turns[len(seen) - 1] if turns else 1.0)

    _, history = call(
        "train",
        policy=trained,
        reward_fn=reward_fn,
        prompt_fn=lambda count, rng: [[1, 4 + n] for n in range(count)],
        steps=steps,
        seed=seed,
        **options,
    )
    grad = reward_model.weights.grad
    return {
        "completions": seen,
        "history": [{name: float(value) for name, value in step.items()} for step in history],
        "reward_gradient": [0.0] if grad is None else grad.tolist(),
        "logits": trained.logits.tolist(),
    }
