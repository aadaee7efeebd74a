"""Changes to what was never wrong in numeric_grad, descend and train."""

from .miss import Miss

SAMPLED = """\
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
"""

LOSS = """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
"""

DESCENT = """\
            descend(theta, numeric_grad(loss, theta), lr)
"""

LAST_PROBE = """\
            logits[v] += h
            grad_row[v] = (above - below) / (2 * h)
"""

SLOPE = """\
            grad_row[v] = (above - below) / (2 * h)
"""

RNG = """\
    rng = random.Random(seed)
"""

THETA = """\
    theta = [[0.0] * VOCAB for _ in prompts]
"""

COPY = """\
    reference = [list(logits) for logits in theta]
"""

REFERENCE = """\
        ref_logps = token_logps(reference, rows, tokens)
"""

RETURN_LOSS = """\
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
"""

HISTORY = """\
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
"""

STEP = """\
            logits[v] -= lr * slope
"""

MISSES = [
    Miss(
        "decoy",
        "old_and_reference_swapped",
        LOSS,
        """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, ref_logps, old_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "decoy",
        "old_and_new_swapped",
        LOSS,
        """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(old_logps, new_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "decoy",
        "theta_not_put_back",
        LAST_PROBE,
        """\
            grad_row[v] = (above - below) / (2 * h)
""",
    ),
    Miss(
        "decoy",
        "slope_not_halved",
        SLOPE,
        """\
            grad_row[v] = (above - below) / h
""",
    ),
    Miss(
        "decoy",
        "slope_turned_round",
        SLOPE,
        """\
            grad_row[v] = (below - above) / (2 * h)
""",
    ),
    Miss(
        "decoy",
        "seed_ignored",
        RNG,
        """\
    rng = random.Random(0)
""",
    ),
    Miss(
        "decoy",
        "unseeded",
        RNG,
        """\
    rng = random.Random()
""",
    ),
    Miss(
        "decoy",
        "generator_made_for_each_step",
        SAMPLED,
        """\
        rng = random.Random(seed)
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
""",
    ),
    Miss(
        "decoy",
        "generator_made_for_each_step_by_number",
        SAMPLED,
        """\
        rng = random.Random(seed + len(history))
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
""",
    ),
    Miss(
        "decoy",
        "sampled_from_the_reference",
        SAMPLED,
        """\
        rows, tokens, mask, rewards = rollout(reference, prompts, group_size, max_len, rng)
""",
    ),
    Miss(
        "decoy",
        "random_start",
        THETA,
        """\
    theta = [[rng.gauss(0, 1) for _ in range(VOCAB)] for _ in prompts]
""",
    ),
    Miss(
        "decoy",
        "reference_is_theta",
        COPY,
        """\
    reference = theta
""",
    ),
    Miss(
        "decoy",
        "reference_is_a_shallow_copy",
        COPY,
        """\
    reference = list(theta)
""",
    ),
    Miss(
        "decoy",
        "reference_updated_every_step",
        REFERENCE,
        """\
        reference = [list(logits) for logits in theta]
        ref_logps = token_logps(reference, rows, tokens)
""",
    ),
    Miss(
        "decoy",
        "reference_updated_from_the_second_step",
        REFERENCE,
        """\
        if len(history) == 1:
            reference = [list(logits) for logits in theta]
        ref_logps = token_logps(reference, rows, tokens)
""",
    ),
    Miss(
        "decoy",
        "reference_one_step_behind",
        REFERENCE,
        """\
        ref_logps = token_logps(reference, rows, tokens)
        reference = [list(logits) for logits in theta]
""",
    ),
    Miss(
        "decoy",
        "policy_for_reference_in_the_loss",
        RETURN_LOSS,
        """\
            return grpo_loss(new_logps, old_logps, new_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "decoy",
        "loss_kwargs_dropped",
        RETURN_LOSS,
        """\
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask)
""",
    ),
    Miss(
        "decoy",
        "loss_negated_in_train",
        RETURN_LOSS,
        """\
            return -grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "decoy",
        "gradient_ascent",
        STEP,
        """\
            logits[v] += lr * slope
""",
    ),
    Miss(
        "decoy",
        "ascent_by_a_negative_rate",
        DESCENT,
        """\
            descend(theta, numeric_grad(loss, theta), -lr)
""",
    ),
    Miss(
        "decoy",
        "learning_rate_ignored",
        STEP,
        """\
            logits[v] -= slope
""",
    ),
    Miss(
        "decoy",
        "reward_summed_in_history",
        HISTORY,
        """\
        history.append({"reward": sum(rewards), "clip_frac": clip_frac})
""",
    ),
    Miss(
        "decoy",
        "best_reward_in_history",
        HISTORY,
        """\
        history.append({"reward": max(rewards), "clip_frac": clip_frac})
""",
    ),
    Miss(
        "decoy",
        "reward_of_the_next_rollout_in_history",
        HISTORY,
        """\
        rewards = rollout(theta, prompts, group_size, max_len, rng)[3]
        history.append({"reward": sum(rewards) / len(rewards), "clip_frac": clip_frac})
""",
    ),
]
