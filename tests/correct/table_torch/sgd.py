"""torch.optim.SGD on a parameter; the old log-probs under no_grad."""
# ruff: noqa: F821

import torch


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = torch.nn.Parameter(torch.zeros(len(prompts), VOCAB, dtype=torch.float64))
    reference = theta.detach().clone()
    optimizer = torch.optim.SGD([theta], lr=lr)
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        with torch.no_grad():
            old_logps = token_logps(theta, rows, tokens)
            ref_logps = token_logps(reference, rows, tokens)
        clip_frac = torch.zeros(())
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = torch.maximum(clip_frac, clip_fraction(new_logps, old_logps, mask))
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        history.append({"reward": rewards.mean(), "clip_frac": clip_frac})
    return theta, history
