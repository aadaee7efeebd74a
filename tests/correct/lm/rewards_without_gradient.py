"""The reward function is called under no_grad, and its answer detached."""
# ruff: noqa: F821


def train(
    policy=None,
    reward_fn=reversal_reward,
    prompt_fn=reversal_prompts,
    steps=100,
    prompts_per_step=32,
    group_size=8,
    max_new_tokens=8,
    temperature=1.2,
    lr=3e-3,
    seed=0,
    on_step=None,
    **update_options,
):
    torch.manual_seed(seed)
    rng, history, size = random.Random(seed), [], update_options.get("micro_batch_size")
    policy = TinyLM() if policy is None else policy
    reference = make_reference(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)
    noise = torch.Generator()
    noise.manual_seed(seed + 1)
    while len(history) < steps:
        prompts = pad_left(prompt_fn(prompts_per_step, rng))
        rows = [repeat_for_group(tensor, group_size) for tensor in prompts]
        rollout = sample(
            policy, *rows, max_new_tokens=max_new_tokens, temperature=temperature, generator=noise
        )
        with torch.no_grad():
            rewards = score_completions(reward_fn, rollout).clone()
        advantages = group_advantages(rewards, group_size)
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (policy, reference))
        metrics = rollout_metrics(rollout, rewards, group_size, scored)
        rollout.old_logps = scored
        metrics |= update(policy, optimizer, rollout, advantages, ref_logps, **update_options)
        history.append(metrics)
        if on_step:
            on_step(metrics)
    return policy, history
