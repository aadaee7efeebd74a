"""The gradient by hand: slope times (one-hot - softmax), collected with index_put."""
# ruff: noqa: F821

import torch
import torch.nn.functional as F


def slopes(new, old, ref, advantages, clip_eps, beta):
    """d (loss of the token) / d new, (N, T)."""
    ratio, a = torch.exp(new - old), advantages[:, None]
    binds = ((a > 0) & (ratio > 1 + clip_eps)) | ((a < 0) & (ratio < 1 - clip_eps))
    return beta * (1 - torch.exp(ref - new)) - torch.where(binds, 0.0, ratio * a)


@torch.no_grad()
def train(
    steps=60, prompts=(0, 1, 2, 3), group_size=8, max_len=5, epochs=2, lr=2.0, seed=0, **loss_kwargs
):
    clip_eps, beta = loss_kwargs.get("clip_eps", 0.2), loss_kwargs.get("beta", 0.04)
    rng = random.Random(seed)
    theta = torch.zeros(len(prompts), VOCAB, dtype=torch.float64)
    reference = theta.clone()
    history = []
    for _ in range(steps):
        rows, tokens, mask, rewards = rollout(theta, prompts, group_size, max_len, rng)
        advantages = group_advantages(rewards, group_size)
        old = token_logps(theta, rows, tokens)
        ref = token_logps(reference, rows, tokens)
        clip_frac = 0.0
        for _ in range(epochs):
            new = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, float(clip_fraction(new, old, mask)))
            slope = slopes(new, old, ref, advantages, clip_eps, beta) * mask / mask.sum()
            jacobian = F.one_hot(tokens, VOCAB) - theta.softmax(-1)[rows][:, None, :]  # (N, T, V)
            grad_rows = (slope[..., None] * jacobian).sum(dim=1)
            grad = torch.zeros_like(theta).index_put((rows,), grad_rows, accumulate=True)
            theta = theta - lr * grad
        history.append({"reward": rewards.mean().item(), "clip_frac": clip_frac})
    return theta, history
