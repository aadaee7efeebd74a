"""Changes to what was never wrong in sampling, the mask and the rewards."""

from near_misses_table import Miss

DRAWN = "        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)\n"
LOGITS = "        logits = policy_logits(policy, tokens, attention_mask)[:, -1]  # (N, V)\n"
APPENDED = "        logps.append(step_logps.gather(1, drawn))\n"
ATTENTION = """\
        attention_mask = torch.cat([attention_mask.bool(), ~ended[:, None]], dim=1)
"""
ENDED = "        ended = ended | (tokens[:, -1] == EOS)\n"
WHILE = "    while len(logps) < max_new_tokens and not ended.all():\n"
ROLLOUT = """\
    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ended, temperature)
"""
STOPS = "    stops = is_eos.int().argmax(dim=1).masked_fill(~is_eos.any(dim=1), width)  # (N,)\n"
COMPLETIONS = """\
    completions = [tokens[-width:][real[-width:]].tolist() for tokens, real in rows]
"""
REWARDS = "    rewards = torch.as_tensor(reward_fn(prompts, completions), dtype=torch.float64)\n"
LINES_OF_ATTENTION_ENDS_BEFORE_EOS = """\
        attention_mask = torch.cat([attention_mask.bool(), ~ended[:, None]], dim=1)
        ended = ended | (tokens[:, -1] == EOS)
"""

MISSES = [
    Miss(
        "same_noise", "greedy", DRAWN, "        drawn = step_logps.argmax(dim=-1, keepdim=True)\n"
    ),
    Miss(
        "decoy",
        "uniform",
        DRAWN,
        "        drawn = torch.multinomial(torch.ones_like(step_logps), 1, generator=generator)\n",
    ),
    Miss(
        "decoy",
        "drawn_by_log_probs",
        DRAWN,
        "        drawn = torch.multinomial(-step_logps, 1, generator=generator)\n",
    ),
    Miss(
        "decoy",
        "logits_of_the_last_but_one",
        LOGITS,
        "        logits = policy_logits(policy, tokens, attention_mask)[:, -2]  # (N, V)\n",
    ),
    Miss(
        "decoy",
        "log_prob_of_the_likeliest",
        APPENDED,
        "        logps.append(step_logps.amax(dim=1, keepdim=True))\n",
    ),
    Miss(
        "decoy",
        "probabilities_recorded",
        APPENDED,
        "        logps.append(step_logps.gather(1, drawn).exp())\n",
    ),
    Miss(
        "decoy",
        "no_attention_to_what_was_sampled",
        ATTENTION,
        "        attention_mask = F.pad(attention_mask.bool(), (0, 1), value=False)\n",
    ),
    Miss(
        "decoy",
        "attention_ends_before_eos",
        LINES_OF_ATTENTION_ENDS_BEFORE_EOS,
        """\
        ended = ended | (tokens[:, -1] == EOS)
        attention_mask = torch.cat([attention_mask.bool(), ~ended[:, None]], dim=1)
""",
    ),
    Miss("decoy", "end_forgotten", ENDED, "        ended = tokens[:, -1] == EOS\n"),
    Miss(
        "decoy",
        "pad_ends_a_row",
        ENDED,
        "        ended = ended | (tokens[:, -1] == EOS) | (tokens[:, -1] == PAD)\n",
    ),
    Miss("decoy", "nothing_ends_a_row", ENDED, ""),
    Miss(
        "decoy",
        "stops_with_the_first_row",
        WHILE,
        "    while len(logps) < max_new_tokens and not ended.any():\n",
    ),
    Miss(
        "decoy",
        "one_token_short",
        WHILE,
        "    while len(logps) < max(max_new_tokens - 1, 1) and not ended.all():\n",
    ),
    Miss(
        "decoy",
        "one_token_more",
        WHILE,
        "    while len(logps) <= max_new_tokens and not ended.all():\n",
    ),
    Miss(
        "decoy",
        "eos_forced_at_the_end",
        DRAWN,
        """\
        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)
        if len(logps) == max_new_tokens - 1:
            drawn = torch.full_like(drawn, EOS)
""",
    ),
    Miss(
        "decoy",
        "ended_turned",
        ROLLOUT,
        """\
    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ~ended, temperature)
""",
    ),
    Miss(
        "eos_in_mask",
        "rows_without_eos_are_one_long",
        STOPS,
        "    stops = is_eos.int().argmax(dim=1)\n",
    ),
    Miss(
        "eos_in_mask",
        "rows_without_eos_are_empty",
        STOPS,
        "    stops = is_eos.int().argmax(dim=1).masked_fill(~is_eos.any(dim=1), -1)\n",
    ),
    Miss(
        "eos_in_mask",
        "last_eos",
        STOPS,
        """\
    stops = width - 1 - is_eos.int().flip(1).argmax(dim=1)
    stops = stops.masked_fill(~is_eos.any(dim=1), width)
""",
    ),
    Miss(
        "decoy",
        "reward_sees_no_eos",
        COMPLETIONS,
        """\
    completions = [[t for t in tokens[-width:].tolist() if t != EOS] for tokens, real in rows]
""",
    ),
    Miss(
        "decoy",
        "prompts_and_completions_swapped",
        REWARDS,
        "    rewards = torch.as_tensor(reward_fn(completions, prompts), dtype=torch.float64)\n",
    ),
    Miss(
        "decoy",
        "rewards_rounded",
        REWARDS,
        """\
    rewards = torch.as_tensor(reward_fn(prompts, completions), dtype=torch.float64).round()
""",
    ),
]
