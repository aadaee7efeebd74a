"""GRPO on a table of logits, in plain Python.

The policy is one row of logits per prompt, pi(. | prompt) = softmax(theta[prompt]). A completion
is a short sequence of tokens drawn from it, and its reward is the share of its tokens that equal
the prompt's target. One training step samples a group of completions per prompt (a rollout), turns
rewards into advantages, and descends the clipped loss for a few epochs.

Axes: B prompts, G completions per prompt (a group), N = B * G rows with the rows of a group
contiguous, T the width that completions are padded to, V = VOCAB. The algorithm is GRPO, Group
Relative Policy Optimization (DeepSeekMath, arXiv 2402.03300, section 4.1).
"""

import math
import random

VOCAB = 4
PAD = 0  # PAD is also a real token id, and prompt 0's target: only the mask tells them apart.


def log_softmax(logits):
    """Log-probabilities of one row of logits: x_v - log sum_u exp(x_u).

    The maximum is subtracted before exponentiating, so that large logits do not overflow.

    logits: V numbers. Returns V numbers, in nats.
    """
    top = max(logits)
    log_total = top + math.log(sum(math.exp(x - top) for x in logits))
    return [x - log_total for x in logits]


def target(prompt):
    """The token that `prompt` asks for."""
    return prompt % VOCAB


def rollout(theta, prompts, group_size, max_len, rng):
    """Sample `group_size` completions per prompt and score each of them.

    Lengths are uniform on 1 ... max_len. The reward of a completion is the share of its tokens
    that equal the prompt's target, a number in [0, 1]; it carries no gradient.

    theta: (prompts, V) logits. prompts: B row numbers of theta. rng: a `random.Random`.
    Returns rows (N,), the prompt of each row; tokens (N, T), padded with PAD to the longest
    completion; mask (N, T), 1 on sampled tokens and 0 on padding; rewards (N,).
    Raises ValueError on a prompt that theta has no row for, or sizes below 1.
    """
    check_at_least("group_size", group_size, 1)
    check_at_least("max_len", max_len, 1)
    check_rows("prompts", prompts, theta)
    rows, completions, rewards = [], [], []
    for prompt in prompts:
        probs = [math.exp(logp) for logp in log_softmax(theta[prompt])]
        for _ in range(group_size):
            length = rng.randint(1, max_len)
            completion = rng.choices(range(VOCAB), weights=probs, k=length)
            rows.append(prompt)
            completions.append(completion)
            rewards.append(completion.count(target(prompt)) / length)
    width = max(len(completion) for completion in completions)
    tokens = [completion + [PAD] * (width - len(completion)) for completion in completions]
    mask = [[1] * len(completion) + [0] * (width - len(completion)) for completion in completions]
    return rows, tokens, mask, rewards


def token_logps(theta, rows, tokens):
    """Log-prob of every token under softmax(theta[row]), padding included.

    theta: (prompts, V). rows: (N,). tokens: (N, T). Returns (N, T), in nats. What stands on the
    padding is a number like any other; leaving it out is up to the mask.
    Raises ValueError on ragged tokens and on a row that theta does not have.
    """
    check_batch(len(rows), tokens=tokens)
    check_rows("rows", rows, theta)
    table = [log_softmax(logits) for logits in theta]  # (prompts, V)
    return [[table[row][token] for token in line] for row, line in zip(rows, tokens)]


def group_advantages(rewards, group_size, eps=1e-6):
    """How much better each completion did than the others of its group.

    A_i = (r_i - mean(group)) / (std(group) + eps), with the population standard deviation
    (divided by G). A group whose rewards are all equal says nothing: its advantages are 0.

    rewards: (N,), the rows of a group contiguous. Returns (N,); constants to the gradient.
    Raises ValueError if the rewards are not a whole number of groups.
    Source: DeepSeekMath, section 4.1.2; eps is the usual addition.
    """
    check_groups(rewards, group_size)
    advantages = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean = sum(group) / len(group)
        std = math.sqrt(sum((reward - mean) ** 2 for reward in group) / len(group))
        advantages += [(reward - mean) / (std + eps) for reward in group]
    return advantages


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    """The clipped objective with a KL penalty, as a loss to minimise.

    Per token, with ratio = pi_new / pi_old and delta = log pi_ref - log pi_new:

        surrogate = min(ratio * A, clip(ratio, 1 - clip_eps, 1 + clip_eps) * A)   to be maximised
        kl        = exp(delta) - delta - 1                                        k3, never < 0
        loss      = beta * kl - surrogate                                         to be minimised

    averaged over the real tokens of the batch (token mean).

    new_logps, old_logps, ref_logps, mask: (N, T); advantages: (N,). Only new_logps carries the
    gradient: the old policy sampled the batch, the reference is the frozen start.
    Returns a number; 0 for a batch without real tokens. Raises ValueError on ragged rows.
    Source: PPO, arXiv 1707.06347, eq. 7; DeepSeekMath, eq. 3 (objective) and eq. 4 (KL estimator).
    """
    check_batch(
        len(advantages), new_logps=new_logps, old_logps=old_logps, ref_logps=ref_logps, mask=mask
    )
    total, count = 0.0, 0
    for new_row, old_row, ref_row, advantage, mask_row in zip(
        new_logps, old_logps, ref_logps, advantages, mask
    ):
        for new, old, ref, real in zip(new_row, old_row, ref_row, mask_row):
            if not real:
                continue
            ratio = math.exp(new - old)
            clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
            surrogate = min(ratio * advantage, clipped * advantage)
            kl = math.exp(ref - new) - (ref - new) - 1
            total += beta * kl - surrogate
            count += 1
    return total / count if count else 0.0


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    """Share of real tokens whose ratio pi_new / pi_old lies outside 1 - clip_eps ... 1 + clip_eps.

    new_logps, old_logps, mask: (N, T). Returns a number in [0, 1]; 0 without real tokens.
    Raises ValueError on ragged rows.
    """
    check_batch(len(mask), mask=mask, new_logps=new_logps, old_logps=old_logps)
    outside, count = 0, 0
    for new_row, old_row, mask_row in zip(new_logps, old_logps, mask):
        for new, old, real in zip(new_row, old_row, mask_row):
            if real:
                outside += abs(math.exp(new - old) - 1) > clip_eps
                count += 1
    return outside / count if count else 0.0


def numeric_grad(f, theta, h=1e-4):
    """Gradient of f(theta) by central differences: (f(x + h) - f(x - h)) / 2h for every logit.

    theta: (prompts, V), moved in place while f is called and put back, up to rounding.
    Returns (prompts, V).
    """
    grad = [[0.0] * len(logits) for logits in theta]
    for logits, grad_row in zip(theta, grad):
        for v in range(len(logits)):
            logits[v] += h
            above = f(theta)
            logits[v] -= 2 * h
            below = f(theta)
            logits[v] += h
            grad_row[v] = (above - below) / (2 * h)
    return grad


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    """Train a policy from uniform: each step one rollout, then `epochs` descents of its loss.

    The reference is a copy of the start. `loss_kwargs` (clip_eps, beta) go to `grpo_loss`.
    Returns theta (B, V) and a history with one entry per step: "reward", the mean reward of the
    step's rollout, and "clip_frac", the largest clip fraction seen at the start of its epochs
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
    theta = [[0.0] * VOCAB for _ in prompts]
    reference = [list(logits) for logits in theta]
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        ref_logps = token_logps(reference, rows, tokens)

        def loss(theta):
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)

        clip_frac = 0.0
        old_logps = token_logps(theta, rows, tokens)
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
    return theta, history


def descend(theta, grad, lr):
    """One step of gradient descent, theta -= lr * grad, in place. Both (prompts, V)."""
    for logits, grad_row in zip(theta, grad):
        for v, slope in enumerate(grad_row):
            logits[v] -= lr * slope


def check_at_least(name, value, least):
    """Raise ValueError unless value is a whole number and at least `least`."""
    if not hasattr(value, "__index__") or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def check_prompts(prompts):
    """Raise ValueError unless prompts are 0 ... B - 1 in order, since theta is indexed by them."""
    numbers = list(prompts) if hasattr(prompts, "__iter__") else []
    if not numbers or numbers != list(range(len(numbers))):
        raise ValueError(f"prompts must be 0, 1, 2, ... in order, got {prompts!r}")


def check_rows(name, rows, theta):
    """Raise ValueError unless there are rows, and each is the number of a row of theta."""
    if not len(rows):
        raise ValueError(f"{name} must not be empty, got {rows!r}")
    for row in rows:
        if row not in range(len(theta)):
            raise ValueError(
                f"{name} must be row numbers of theta, 0 to {len(theta) - 1}, got {row!r}"
            )


def check_groups(rewards, group_size):
    """Raise ValueError unless the rewards are a whole number of groups."""
    check_at_least("group_size", group_size, 1)
    if not len(rewards) or len(rewards) % group_size:
        raise ValueError(
            f"rewards must be whole groups of group_size = {group_size}, got {len(rewards)} of them"
        )


def check_batch(count, **arrays):
    """Raise ValueError unless every array has `count` rows, and all rows have one width."""
    for name, array in arrays.items():
        if len(array) != count:
            raise ValueError(f"{name} must have one row per completion, {count}, got {len(array)}")
    widths = {name: sorted({len(row) for row in array}) for name, array in arrays.items()}
    if len(set().union(*widths.values())) > 1:
        raise ValueError(f"all rows must have one width, got {widths}")
