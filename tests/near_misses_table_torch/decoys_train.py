"""Changes to what was never wrong in rollout and train."""

from near_misses_table import Miss

PROBS = """\
    probs = log_softmax(theta.detach()).exp().tolist()  # (prompts, V)
"""

DRAW = """\
            completion = rng.choices(range(VOCAB), weights=probs[prompt], k=length)
"""

RETURNED = """\
    return (
        torch.tensor(rows),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        torch.tensor(rewards, dtype=torch.float64),
    )
"""

REFERENCE = """\
        ref_logps = token_logps(reference, rows, tokens)
"""

LOSS = """\
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
"""

DESCENT = """\
            (grad,) = torch.autograd.grad(loss, theta)
            theta = (theta - lr * grad).detach().requires_grad_()
"""

UPDATE = """\
            theta = (theta - lr * grad).detach().requires_grad_()
"""

HISTORY = """\
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
"""

METRIC = """\
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
"""

THETA = """\
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
"""

RUN = """\
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
"""

MISSES = [
    Miss(
        "decoy",
        "sampled_by_multinomial",
        DRAW,
        """\
            weights = torch.tensor(probs[prompt])
            torch.manual_seed(rng.randrange(2**31))
            completion = torch.multinomial(weights, length, replacement=True).tolist()
""",
    ),
    Miss(
        "decoy",
        "log_probs_as_weights",
        PROBS,
        """\
    probs = log_softmax(theta.detach()).neg().tolist()
""",
    ),
    Miss(
        "decoy",
        "logits_as_weights",
        PROBS,
        """\
    probs = theta.detach().clamp(min=0.1).tolist()
""",
    ),
    Miss(
        "decoy",
        "probabilities_along_the_prompts",
        PROBS,
        """\
    probs = theta.detach().softmax(dim=0).tolist()
""",
    ),
    # repeat where repeat_interleave is meant.
    Miss(
        "decoy",
        "rows_tiled",
        RETURNED,
        """\
    return (
        torch.tensor(prompts).repeat(group_size),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        torch.tensor(rewards, dtype=torch.float64),
    )
""",
    ),
    Miss(
        "decoy",
        "whole_number_rewards",
        RETURNED,
        """\
    return (
        torch.tensor(rows),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        torch.tensor(rewards, dtype=torch.int64),
    )
""",
    ),
    Miss(
        "decoy",
        "rewards_count_padding",
        RETURNED,
        """\
    hits = torch.tensor(tokens) == torch.tensor(rows)[:, None] % VOCAB
    return (
        torch.tensor(rows),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        hits.double().mean(dim=1),
    )
""",
    ),
    Miss(
        "decoy",
        "rewards_over_the_width",
        RETURNED,
        """\
    hits = (torch.tensor(tokens) == torch.tensor(rows)[:, None] % VOCAB) * torch.tensor(mask)
    return (
        torch.tensor(rows),
        torch.tensor(tokens),
        torch.tensor(mask, dtype=torch.float64),
        hits.double().mean(dim=1),
    )
""",
    ),
    Miss(
        "decoy",
        "padded_on_the_left",
        RETURNED,
        """\
    return (
        torch.tensor(rows),
        torch.tensor([line[::-1] for line in tokens]),
        torch.tensor([line[::-1] for line in mask], dtype=torch.float64),
        torch.tensor(rewards, dtype=torch.float64),
    )
""",
    ),
    Miss(
        "decoy",
        "reference_shares_storage",
        RUN,
        """\
    reference = theta.detach()  # shares its storage
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
            theta.data -= lr * grad
""",
    ),
    Miss(
        "decoy",
        "reference_refreshed_every_step",
        REFERENCE,
        """\
        reference = theta.detach().clone()
        ref_logps = token_logps(reference, rows, tokens)
""",
    ),
    Miss(
        "decoy",
        "reference_one_step_behind",
        REFERENCE,
        """\
        ref_logps = token_logps(reference, rows, tokens)
        reference = theta.detach().clone()
""",
    ),
    Miss(
        "decoy",
        "policy_for_reference",
        LOSS,
        """\
            loss = grpo_loss(
                new_logps, old_logps, new_logps.detach(), advantages, mask, **loss_kwargs
            )
""",
    ),
    Miss(
        "decoy",
        "old_and_reference_swapped",
        LOSS,
        """\
            loss = grpo_loss(new_logps, ref_logps, old_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "decoy",
        "loss_kwargs_dropped",
        LOSS,
        """\
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask)
""",
    ),
    Miss(
        "decoy",
        "gradient_ascent",
        UPDATE,
        """\
            theta = (theta + lr * grad).detach().requires_grad_()
""",
    ),
    Miss(
        "decoy",
        "learning_rate_ignored",
        UPDATE,
        """\
            theta = (theta - grad).detach().requires_grad_()
""",
    ),
    Miss(
        "decoy",
        "sgd_that_maximises",
        DESCENT,
        """\
            theta.grad = None
            loss.backward()
            torch.optim.SGD([theta], lr=lr, maximize=True).step()
""",
    ),
    # backward adds to theta.grad; nothing empties it.
    Miss(
        "decoy",
        "gradient_never_zeroed",
        RUN,
        """\
    reference = theta.detach().clone()
    history = []
    optimizer = torch.optim.SGD([theta], lr=lr)
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
            loss.backward()
            optimizer.step()
""",
    ),
    Miss(
        "decoy",
        "adam_for_sgd",
        DESCENT,
        """\
            theta.grad = None
            loss.backward()
            torch.optim.Adam([theta], lr=lr).step()
""",
    ),
    Miss(
        "decoy",
        "update_of_a_copy",
        UPDATE,
        """\
            theta.detach().clone().sub_(lr * grad)
""",
    ),
    Miss(
        "decoy",
        "random_start",
        THETA,
        """\
    theta = torch.randn(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
""",
    ),
    Miss(
        "decoy",
        "reward_of_the_best_in_history",
        HISTORY,
        """\
        history.append({"reward": rewards.max().item(), "clip_frac": clip_frac})
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_the_last_epoch",
        METRIC,
        """\
            clip_frac = clip_fraction(new_logps, old_logps, mask).item()
""",
    ),
    Miss(
        "decoy",
        "clip_fraction_of_the_first_epochs_only",
        METRIC,
        """\
            clip_frac = clip_frac or clip_fraction(new_logps, old_logps, mask).item()
""",
    ),
    Miss(
        "decoy",
        "clip_fractions_summed",
        METRIC,
        """\
            clip_frac += clip_fraction(new_logps, old_logps, mask).item()
""",
    ),
]
