"""Near misses of temperature_mismatch, dropout_on and same_noise."""

from near_misses_table import Miss

SCALED = "    scaled = logits / temperature\n"
LOGPS = "    logps = F.log_softmax(scaled, dim=-1)\n"
STEP = "        step_logps = F.log_softmax(logits / temperature, dim=-1)\n"
APPENDED = "        logps.append(step_logps.gather(1, drawn))\n"
SCORED = "        scored = tokens, attention_mask, mask.shape[1], rollout.temperature\n"
RESCORED = """\
    return torch.cat([token_logps(policy, *part, width, rollout.temperature) for part in parts])
"""
ROLLOUT = """\
    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ended, temperature)
"""
EVAL = "        policy.eval()\n"
FORWARD = """\
    if isinstance(policy, nn.Module):
        policy.eval()
    return policy(tokens, attention_mask, position_ids(attention_mask))
"""
LOOP = """\
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
"""
SAMPLED = "        rollout = sample(policy, *rows, max_new_tokens, temperature, generator)\n"
DRAWN = "        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)\n"
LINES_OF_ON_THE_LOG_PROBS = """\
    scaled = logits / temperature
    logps = F.log_softmax(scaled, dim=-1)
"""

MISSES = [
    Miss("temperature_mismatch", "multiplied", SCALED, "    scaled = logits * temperature\n"),
    Miss(
        "temperature_mismatch",
        "applied_twice",
        LOGPS,
        "    logps = F.log_softmax(scaled / temperature, dim=-1)\n",
    ),
    Miss(
        "temperature_mismatch",
        "on_the_log_probs",
        LINES_OF_ON_THE_LOG_PROBS,
        "    logps = F.log_softmax(logits, dim=-1) / temperature\n",
    ),
    Miss(
        "temperature_mismatch",
        "root_of_it",
        SCALED,
        "    scaled = logits / math.sqrt(temperature)\n",
    ),
    Miss(
        "temperature_mismatch",
        "only_below_one",
        SCALED,
        "    scaled = logits / min(temperature, 1.0)\n",
    ),
    Miss(
        "temperature_mismatch",
        "sampler_multiplies",
        STEP,
        "        step_logps = F.log_softmax(logits * temperature, dim=-1)\n",
    ),
    Miss(
        "temperature_mismatch",
        "sampler_without",
        STEP,
        "        step_logps = F.log_softmax(logits, dim=-1)\n",
    ),
    Miss(
        "temperature_mismatch",
        "sampler_applies_twice",
        STEP,
        "        step_logps = F.log_softmax(logits / temperature / temperature, dim=-1)\n",
    ),
    Miss(
        "decoy",
        "sampler_records_without",
        APPENDED,
        "        logps.append(F.log_softmax(logits, dim=-1).gather(1, drawn))\n",
    ),
    Miss(
        "temperature_mismatch",
        "old_scored_at_one",
        RESCORED,
        "    return torch.cat([token_logps(policy, *part, width) for part in parts])\n",
    ),
    Miss(
        "temperature_mismatch",
        "new_scored_at_one",
        SCORED,
        "        scored = tokens, attention_mask, mask.shape[1]\n",
    ),
    Miss(
        "temperature_mismatch",
        "not_told_to_the_rollout",
        ROLLOUT,
        "    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ended)\n",
    ),
    Miss(
        "dropout_on",
        "train_mode_where_gradients_flow",
        EVAL,
        "        policy.train(torch.is_grad_enabled())\n",
    ),
    Miss(
        "dropout_on",
        "eval_mode_where_gradients_flow",
        EVAL,
        "        policy.train(not torch.is_grad_enabled())\n",
    ),
    Miss(
        "dropout_on",
        "flag_of_the_root_only",
        EVAL,
        """\
        policy.train()
        policy.training = False
""",
    ),
    Miss(
        "dropout_on",
        "eval_not_called",
        EVAL,
        """\
        policy.train()
        policy.eval  # noqa: B018
""",
    ),
    Miss(
        "dropout_on",
        "blocks_only",
        EVAL,
        """\
        policy.train()
        for block in getattr(policy, "blocks", ()):
            block.eval()
""",
    ),
    Miss(
        "dropout_on",
        "layers_named_dropout_at_the_top_only",
        EVAL,
        """\
        policy.train()
        for child in policy.children():
            child.training = False
""",
    ),
    Miss(
        "dropout_on",
        "eval_behind_a_training_call",
        FORWARD,
        """\
    if isinstance(policy, nn.Module):
        policy.train()
    logits = policy(tokens, attention_mask, position_ids(attention_mask))
    if isinstance(policy, nn.Module):
        policy.eval()
    return logits
""",
    ),
    Miss(
        "dropout_on",
        "left_to_the_caller",
        FORWARD,
        "    return policy(tokens, attention_mask, position_ids(attention_mask))\n",
    ),
    Miss(
        "same_noise",
        "fresh_unseeded_generator",
        LOOP,
        """\
    for _ in range(steps):
        generator = torch.Generator()
""",
    ),
    Miss(
        "same_noise",
        "global_seed_in_the_loop",
        LOOP,
        """\
    generator = None
    for _ in range(steps):
        torch.manual_seed(seed)
""",
    ),
    Miss(
        "same_noise",
        "seeded_with_the_number_of_steps",
        LOOP,
        """\
    for _ in range(steps):
        generator = torch.Generator().manual_seed(seed + steps)
""",
    ),
    Miss(
        "same_noise",
        "seeded_by_half_the_step",
        LOOP,
        """\
    for step in range(steps):
        generator = torch.Generator().manual_seed(seed + step // 2)
""",
    ),
    Miss(
        "same_noise",
        "seed_times_step",
        LOOP,
        """\
    for step in range(steps):
        generator = torch.Generator().manual_seed(seed * step)
""",
    ),
    Miss(
        "same_noise",
        "state_put_back",
        LOOP,
        """\
    generator = torch.Generator().manual_seed(seed)
    state = generator.get_state()
    for _ in range(steps):
        generator.set_state(state)
""",
    ),
    Miss(
        "same_noise",
        "a_copy_is_used_up",
        SAMPLED,
        """\
        noise = generator.clone_state()
        rollout = sample(policy, *rows, max_new_tokens, temperature, noise)
""",
    ),
    Miss(
        "same_noise",
        "seeded_inside_the_call",
        SAMPLED,
        """\
        rollout = sample(
            policy, *rows, max_new_tokens, temperature, generator.manual_seed(seed)
        )
""",
    ),
    Miss(
        "same_noise",
        "seeded_at_every_token",
        DRAWN,
        """\
        if generator:
            generator.manual_seed(generator.initial_seed())
        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)
""",
    ),
]
