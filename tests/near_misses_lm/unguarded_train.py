"""Mistakes in sampling, rewards and the training loop that no kata test asks about."""

from near_misses_table import Miss

DRAWN = "        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)\n"
LOGITS = "        logits = policy_logits(policy, tokens, attention_mask)[:, -1]  # (N, V)\n"
ATTENTION = """\
        attention_mask = torch.cat([attention_mask.bool(), ~ended[:, None]], dim=1)
"""
TEMPERATURE = """\
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
"""
COMPLETIONS = """\
    completions = [tokens[-width:][real[-width:]].tolist() for tokens, real in rows]
"""
PROMPTS = "    prompts = [tokens[:-width][real[:-width]].tolist() for tokens, real in rows]\n"
OPTIMIZER = "    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)\n"
PROMPTS_LINE = "        prompts = pad_left(prompt_fn(prompts_per_step, rng))\n"
SAMPLED = "        rollout = sample(policy, *rows, max_new_tokens, temperature, generator)\n"
ADVANTAGES = "        advantages = group_advantages(rewards, group_size)\n"
SCORED = """\
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (policy, reference))
"""
OLD = "        rollout.old_logps = scored\n"
UPDATED = """\
        metrics |= update(policy, optimizer, rollout, advantages, ref_logps, **update_options)
"""
HISTORY = "        history.append(metrics)\n"
ACCUMULATED = """\
            policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
        )
"""
GRAD_NORM = """\
    grad_norm = torch.stack(norms).norm().item() if norms else 0.0
"""
SCORES = """\
    return torch.cat([token_logps(policy, *part, width, rollout.temperature) for part in parts])
"""
RATIO_CLAMPED = "    log_ratio = log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)\n"
SPREAD = "    spread = centred.square().mean(dim=1, keepdim=True).sqrt()\n"

MISSES = [
    Miss(
        "decoy",
        "generator_not_used",
        DRAWN,
        "        drawn = torch.multinomial(step_logps.exp(), 1)\n",
    ),
    Miss(
        "decoy",
        "top_two_only",
        DRAWN,
        """\
        top = step_logps >= step_logps.topk(2, dim=-1).values[:, -1:]
        drawn = torch.multinomial(step_logps.exp() * top, 1, generator=generator)
""",
    ),
    Miss(
        "decoy",
        "logits_of_the_first",
        LOGITS,
        "        logits = policy_logits(policy, tokens, attention_mask)[:, 0]  # (N, V)\n",
    ),
    Miss(
        "decoy",
        "attention_behind_eos",
        ATTENTION,
        "        attention_mask = F.pad(attention_mask.bool(), (0, 1), value=True)\n",
    ),
    Miss(
        "decoy",
        "sampled_pad_not_attended",
        ATTENTION,
        """\
        real = ~ended & (tokens[:, -1] != PAD)
        attention_mask = torch.cat([attention_mask.bool(), real[:, None]], dim=1)
""",
    ),
    Miss(
        "decoy",
        "negative_temperature_taken",
        TEMPERATURE,
        """\
    require(temperature != 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
""",
    ),
    Miss(
        "decoy",
        "reward_sees_padding",
        COMPLETIONS,
        "    completions = [tokens[-width:].tolist() for tokens, real in rows]\n",
    ),
    Miss(
        "decoy",
        "reward_sees_no_pad_tokens",
        COMPLETIONS,
        """\
    completions = [[t for t in tokens[-width:].tolist() if t != PAD] for tokens, real in rows]
""",
    ),
    Miss(
        "decoy",
        "reward_sees_padded_prompts",
        PROMPTS,
        "    prompts = [tokens[:-width].tolist() for tokens, real in rows]\n",
    ),
    Miss(
        "decoy",
        "optimizer_maximises",
        OPTIMIZER,
        "    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr, maximize=True)\n",
    ),
    Miss(
        "decoy",
        "same_prompts_every_step",
        PROMPTS_LINE,
        "        prompts = pad_left(prompt_fn(prompts_per_step, random.Random(seed)))\n",
    ),
    Miss(
        "decoy",
        "temperature_not_passed",
        SAMPLED,
        "        rollout = sample(policy, *rows, max_new_tokens, generator=generator)\n",
    ),
    Miss(
        "decoy",
        "advantages_shuffled",
        ADVANTAGES,
        "        advantages = group_advantages(rewards, group_size).flip(0)\n",
    ),
    Miss("decoy", "rewards_for_advantages", ADVANTAGES, "        advantages = rewards\n"),
    Miss(
        "decoy",
        "advantages_over_the_batch",
        ADVANTAGES,
        "        advantages = group_advantages(rewards, len(rewards))\n",
    ),
    Miss(
        "decoy",
        "advantages_negated",
        ADVANTAGES,
        "        advantages = -group_advantages(rewards, group_size)\n",
    ),
    Miss(
        "decoy",
        "policy_and_reference_swapped",
        SCORED,
        """\
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (reference, policy))
""",
    ),
    Miss("decoy", "old_from_the_reference", OLD, "        rollout.old_logps = ref_logps\n"),
    Miss(
        "decoy",
        "reference_from_the_sampler",
        UPDATED,
        """\
        metrics |= update(policy, optimizer, rollout, advantages, scored, **update_options)
""",
    ),
    Miss(
        "decoy",
        "options_dropped",
        UPDATED,
        "        metrics |= update(policy, optimizer, rollout, advantages, ref_logps)\n",
    ),
    Miss("decoy", "history_of_the_last_step", HISTORY, "        history[:] = [metrics]\n"),
    Miss(
        "decoy",
        "beta_dropped",
        ACCUMULATED,
        """\
            policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, 0.0, size
        )
""",
    ),
    Miss(
        "decoy",
        "norm_of_the_largest_weight",
        GRAD_NORM,
        """\
    grad_norm = max(norms).item() if norms else 0.0
""",
    ),
    Miss(
        "decoy",
        "norms_added",
        GRAD_NORM,
        """\
    grad_norm = sum(norms).item() if norms else 0.0
""",
    ),
    Miss(
        "decoy",
        "scores_of_the_first_micro_batch",
        SCORES,
        """\
    scores = [token_logps(policy, *part, width, rollout.temperature) for part in parts]
    return torch.cat([scores[0]] * len(scores))[: len(rollout.mask)]
""",
    ),
    Miss(
        "decoy",
        "ratio_bounded_to_one_nat",
        RATIO_CLAMPED,
        "    log_ratio = log_ratio.clamp(-1.0, 1.0)\n",
    ),
    Miss(
        "decoy",
        "mean_absolute_deviation",
        SPREAD,
        "    spread = centred.abs().mean(dim=1, keepdim=True)\n",
    ),
]
