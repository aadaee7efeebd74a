"""Real tokens are picked by boolean index; padding never enters a formula."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    per_row = advantages.to(new.dtype)[:, None].expand_as(new)[mask]
    new, old, ref = new[mask], old[mask].detach(), ref[mask].detach()
    ratio = (new - old).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    surrogate = torch.minimum(ratio * per_row, ratio.clamp(1 - clip_eps, 1 + clip_eps) * per_row)
    delta = (ref - new).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    kl = delta.exp() - delta - 1
    return (beta * kl - surrogate).sum() / (token_count or max(mask.sum().item(), 1))


def clip_fraction(new, old, mask, clip_eps=0.2):
    mask = mask.bool()
    ratio = (new[mask] - old[mask]).clamp(max=MAX_LOG_RATIO).exp()
    return ((ratio - 1).abs() > clip_eps).double().mean().item() if mask.any() else 0.0


def masked_mean(values, mask):
    return values[mask].mean().item() if mask.any() else 0.0
