"""Real tokens are picked by masked_select."""
# ruff: noqa: F821


def masked_mean(values, mask):
    real = torch.masked_select(values, mask)
    return real.sum().item() / max(real.numel(), 1)


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    rows = torch.arange(len(mask))[:, None].expand_as(mask).masked_select(mask)
    new, old, ref = (x.masked_select(mask) for x in (new, old.detach(), ref.detach()))
    ratio = torch.exp(torch.clamp(new - old, max=20))
    adv = advantages.to(new.dtype)[rows]
    surrogate = torch.minimum(ratio * adv, torch.clamp(ratio, 1 - clip_eps, 1 + clip_eps) * adv)
    delta = torch.clamp(ref - new, max=20)
    count = token_count if token_count is not None else max(len(new), 1)
    return torch.sum(-surrogate + beta * (torch.exp(delta) - delta - 1)) / count
