"""GRPO on a table of logits, on tensors.

The same trainer as table.py, with the same names, draws and numbers, vectorised over rows and
tokens and differentiated by autograd. The policy is one row of logits per prompt, pi(. | prompt) =
softmax(theta[prompt]); a completion is a short sequence of tokens drawn from it, and its reward is
the share of its tokens that equal the prompt's target.

Axes: B prompts, G completions per prompt (a group), N = B * G rows with the rows of a group
contiguous, T the width that completions are padded to, V = VOCAB. The algorithm is GRPO, Group
Relative Policy Optimization (DeepSeekMath, arXiv 2402.03300, section 4.1).

No function changes a tensor that it was given.
"""

import random

import torch

VOCAB = 4
PAD = 0  # PAD is also a real token id, and prompt 0's target: only the mask tells them apart.


def log_softmax(logits):
    """Log-probabilities along the last axis: x_v - log sum_u exp(x_u).

    The maximum is taken out of the sum and log1p adds it back as a 1, so that large logits do not
    overflow and the log-prob of a nearly certain token does not round to 0.

    logits: (..., V), floating point. Returns (..., V), in nats; carries the gradient of logits.
    """
    top, index = logits.max(dim=-1, keepdim=True)
    shifted = logits - top
    rest = shifted.exp().scatter(-1, index, 0.0).sum(dim=-1, keepdim=True)
    return shifted - torch.log1p(rest)


def target(prompt):
    """The token that `prompt` asks for."""
    return prompt % VOCAB


def rollout(theta, prompts, group_size, max_len, rng):
    """Sample `group_size` completions per prompt and score each of them.

    Lengths are uniform on 1 ... max_len. The reward of a completion is the share of its tokens
    that equal the prompt's target, a number in [0, 1]; it carries no gradient.

    theta: (prompts, V) logits. prompts: B row numbers of theta. rng: a `random.Random`.
    Returns rows (N,) int64, the prompt of each row; tokens (N, T) int64, padded with PAD to the
    longest completion; mask (N, T) float64, 1 on sampled tokens and 0 on padding; rewards (N,)
    float64. Raises ValueError on a prompt that theta has no row for, or sizes below 1.
    """
    check_at_least("group_size", group_size, 1)
    check_at_least("max_len", max_len, 1)
    prompts = torch.as_tensor(prompts).tolist()
    check_ids("prompts", torch.tensor(prompts), (None,), len(theta))
    rows, completions, rewards = [], [], []
    probs = log_softmax(theta.detach()).exp().tolist()  # (prompts, V)
    for prompt in prompts:
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            completion = rng.choices(range(VOCAB), weights=probs[prompt], k=length)
            rows.append(prompt)
            completions.append(completion)
            rewards.append(completion.count(target(prompt)) / length)
    width = max(len(completion) for completion in completions)
    tokens = [completion + [PAD] * (width - len(completion)) for completion in completions]
    mask = [[1] * len(completion) + [0] * (width - len(completion)) for completion in completions]
    return (
        torch.tensor(rows),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        torch.tensor(rewards, dtype=torch.float64),
    )


def token_logps(theta, rows, tokens):
    """Log-prob of every token under softmax(theta[row]), padding included.

    theta: (prompts, V). rows: (N,) int64. tokens: (N, T) int64. Returns (N, T), in nats; carries
    the gradient of theta. What stands on the padding is a number like any other; leaving it out is
    up to the mask. Raises ValueError on other shapes and types, and on ids out of range.
    """
    check_floats("theta", theta, (None, VOCAB))
    check_ids("rows", rows, (None,), len(theta))
    check_ids("tokens", tokens, (len(rows), None), VOCAB)
    table = log_softmax(theta)  # (prompts, V)
    return table[rows].gather(1, tokens)


def group_advantages(rewards, group_size, eps=1e-6):
    """How much better each completion did than the others of its group.

    A_i = (r_i - mean(group)) / (std(group) + eps), with the population standard deviation
    (divided by G). A group whose rewards are all equal says nothing: its advantages are 0.

    rewards: (N,), of any number type, the rows of a group contiguous. Returns (N,) float64, without
    a gradient; float64, because in float32 the mean of equal rewards need not equal them.
    Raises ValueError if the rewards are not a whole number of groups.
    Source: DeepSeekMath, section 4.1.2; eps is the usual addition.
    """
    check_groups(rewards, group_size)
    groups = rewards.detach().double().reshape(-1, group_size)  # (B, G)
    mean = groups.mean(dim=1, keepdim=True)
    std = groups.std(dim=1, keepdim=True, correction=0)
    advantages = (groups - mean) / (std + eps)
    return advantages.flatten()


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    """The clipped objective with a KL penalty, as a loss to minimise.

    Per token, with ratio = pi_new / pi_old and delta = log pi_ref - log pi_new:

        surrogate = min(ratio * A, clip(ratio, 1 - clip_eps, 1 + clip_eps) * A)   to be maximised
        kl        = exp(delta) - delta - 1                                        k3, never < 0
        loss      = beta * kl - surrogate                                         to be minimised

    averaged over the real tokens of the batch (token mean).

    new_logps, old_logps, ref_logps, mask: (N, T); advantages: (N,). Only new_logps should carry a
    gradient: the old policy sampled the batch, the reference is the frozen start.
    Returns a 0-d tensor; 0 for a batch without real tokens. Raises ValueError on other shapes.
    Source: PPO, arXiv 1707.06347, eq. 7; DeepSeekMath, eq. 3 (objective) and eq. 4 (KL estimator).
    """
    check_shape("mask", mask, (None, None))
    check_shape("advantages", advantages, (len(mask),))
    for name, logps in (("new", new_logps), ("old", old_logps), ("ref", ref_logps)):
        check_floats(f"{name}_logps", logps, tuple(mask.shape))
    real = mask.bool()
    new, old, ref = new_logps[real], old_logps[real], ref_logps[real]  # (real tokens,)
    advantage = advantages.unsqueeze(1).expand(mask.shape)[real]
    ratio = torch.exp(new - old)
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
    kl = torch.exp(ref - new) - (ref - new) - 1
    loss = beta * kl - surrogate
    return loss.sum() / max(len(loss), 1)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    """Share of real tokens whose ratio pi_new / pi_old lies outside 1 - clip_eps ... 1 + clip_eps.

    new_logps, old_logps, mask: (N, T). Returns a 0-d tensor in [0, 1], without a gradient; 0
    without real tokens. Raises ValueError on other shapes.
    """
    check_shape("mask", mask, (None, None))
    check_floats("new_logps", new_logps, tuple(mask.shape))
    check_floats("old_logps", old_logps, tuple(mask.shape))
    real = mask.bool()
    ratio = torch.exp(new_logps[real] - old_logps[real])
    outside = (ratio - 1).abs() > clip_eps
    return outside.double().sum() / max(len(outside), 1)


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    """Train a policy from uniform: each step one rollout, then `epochs` descents of its loss.

    The reference is a copy of the start. `loss_kwargs` (clip_eps, beta) go to `grpo_loss`.
    Returns theta (B, V) float64 and a history with one entry per step: "reward", the mean reward of
    the step's rollout, and "clip_frac", the largest clip fraction seen at the start of its epochs
    (of the default range, whatever clip_eps the loss is given).
    Raises ValueError on prompts other than 0 ... B - 1 and on sizes out of range.
    Source: DeepSeekMath, algorithm 1, with one reference for the whole run.
    """
    check_prompts(prompts)
    check_at_least("steps", steps, 0)
    check_at_least("epochs", epochs, 0)
    check_at_least("group_size", group_size, 1)
    check_at_least("max_len", max_len, 1)
    rng = random.Random(seed)
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
    reference = theta.detach().clone()
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        ref_logps = token_logps(reference, rows, tokens)
        clip_frac = 0.0
        old_logps = token_logps(theta, rows, tokens).detach()
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            (grad,) = torch.autograd.grad(loss, theta)
            theta = (theta - lr * grad).detach().requires_grad_()
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
    return theta.detach(), history


def check_at_least(name, value, least):
    """Raise ValueError unless value is a whole number and at least `least`."""
    if not hasattr(value, "__index__") or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def check_prompts(prompts):
    """Raise ValueError unless prompts are 0 ... B - 1 in order, since theta is indexed by them."""
    numbers = list(prompts) if hasattr(prompts, "__iter__") else []
    if not numbers or numbers != list(range(len(numbers))):
        raise ValueError(f"prompts must be 0, 1, 2, ... in order, got {prompts!r}")


def check_groups(rewards, group_size):
    """Raise ValueError unless the rewards are one axis of a whole number of groups."""
    check_at_least("group_size", group_size, 1)
    check_shape("rewards", rewards, (None,))
    if not len(rewards) or len(rewards) % group_size:
        raise ValueError(
            f"rewards must be whole groups of group_size = {group_size}, got {len(rewards)} of them"
        )


def check_shape(name, tensor, wanted):
    """Raise ValueError unless a tensor has this shape, None standing for any length."""
    shape = tuple(tensor.shape)
    if len(shape) != len(wanted) or any(w not in (None, n) for w, n in zip(wanted, shape)):
        said = ", ".join("any" if length is None else str(length) for length in wanted)
        raise ValueError(f"{name} must have shape ({said}), got {shape}")


def check_floats(name, tensor, wanted):
    """Raise ValueError unless a tensor has this shape and is floating point."""
    check_shape(name, tensor, wanted)
    if not tensor.is_floating_point():
        raise ValueError(f"{name} must be floating point, got {tensor.dtype}")


def check_ids(name, tensor, wanted, limit):
    """Raise ValueError unless a tensor has this shape, is not empty, and holds 0 ... limit - 1."""
    check_shape(name, tensor, wanted)
    if tensor.dtype != torch.int64 or not tensor.numel():
        raise ValueError(
            f"{name} must be int64 and not empty, got {tensor.dtype}, {tensor.tolist()}"
        )
    stray = tensor[(tensor < 0) | (tensor >= limit)].tolist()
    if stray:
        raise ValueError(f"{name} must lie in 0 to {limit - 1}, got {stray[0]}")
