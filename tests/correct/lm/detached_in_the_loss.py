"""Old and reference log-probs are detached once, at the top of the loss."""
# ruff: noqa: F821


def token_ratio(new, old, mask):
    return (new - old).masked_fill(~mask, 0.0).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()


def k3(new, ref):
    delta = (ref - new).clamp(max=MAX_LOG_RATIO)
    return torch.exp(delta) - 1 - delta


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    with torch.no_grad():
        old, ref, advantages = old.clone(), ref.clone(), advantages.to(new.dtype)
    mask = mask.bool()
    objective = clipped_surrogate(token_ratio(new, old, mask), advantages, clip_eps)
    zero = torch.zeros((), dtype=new.dtype)
    objective = objective - beta * k3(torch.where(mask, new, zero), torch.where(mask, ref, zero))
    count = token_count or max(mask.count_nonzero().item(), 1)
    return -objective.where(mask, zero).sum() / count
