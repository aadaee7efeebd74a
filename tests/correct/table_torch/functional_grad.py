"""torch.func.grad_and_value of a pure function of theta; has_aux carries the metric."""
# ruff: noqa: F821

import torch


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng = random.Random(seed)
    theta = reference = torch.zeros(len(prompts), VOCAB, dtype=torch.float64)
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old_logps = token_logps_of(theta, rows, tokens)
        ref_logps = token_logps_of(reference, rows, tokens)
        real, lead = mask.double(), advantages.unsqueeze(1)

        def loss(theta, clip_eps=0.2, beta=0.04):
            new_logps = token_logps_of(theta, rows, tokens)
            ratio = torch.exp(new_logps - old_logps)
            clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps)
            gap = ref_logps - new_logps
            each = beta * (torch.exp(gap) - gap - 1) - torch.minimum(ratio * lead, clipped * lead)
            return (each * real).sum() / real.sum(), new_logps

        clip_frac = 0.0
        for _ in range(epochs):
            grad, (_, new_logps) = torch.func.grad_and_value(loss, has_aux=True)(
                theta, **loss_kwargs
            )
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
            theta = theta - lr * grad
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
    return theta, history


def token_logps_of(theta, rows, tokens):
    return torch.log_softmax(theta, dim=1)[rows].gather(1, tokens)
