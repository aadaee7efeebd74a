"""No argument is checked; the functions are as short as they get."""
# ruff: noqa: F821

import torch


def token_logps(theta, rows, tokens):
    return torch.log_softmax(theta, 1)[rows].gather(1, tokens)


def group_advantages(rewards, group_size, eps=1e-6):
    groups = rewards.double().view(-1, group_size)
    std, mean = torch.std_mean(groups, 1, keepdim=True, correction=0)
    return ((groups - mean) / (std + eps)).view(-1)


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    ratio, a, delta = torch.exp(new_logps - old_logps), advantages[:, None], ref_logps - new_logps
    surrogate = torch.min(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    return ((beta * (delta.exp() - delta - 1) - surrogate) * mask).sum() / mask.sum().clamp(min=1)


def clip_fraction(new_logps, old_logps, mask, clip_eps=0.2):
    outside = ((new_logps - old_logps).exp() - 1).abs() > clip_eps
    return (outside * mask).sum() / mask.sum().clamp(min=1)


def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    rng, history = random.Random(seed), []
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64, requires_grad=True)
    start = theta.detach().clone()
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        fixed = [token_logps(t, rows, tokens).detach() for t in (theta, start)]
        batch = *fixed, group_advantages(rewards, group_size), mask
        history.append({"reward": rewards.mean().item(), "clip_frac": 0.0})
        for _ in range(epochs):
            new = token_logps(theta, rows, tokens)
            now = clip_fraction(new, fixed[0], mask).item()
            history[-1]["clip_frac"] = max(history[-1]["clip_frac"], now)
            grad = torch.autograd.grad(grpo_loss(new, *batch, **loss_kwargs), theta)[0]
            theta = (theta - lr * grad).detach().requires_grad_()
    return theta.detach(), history
