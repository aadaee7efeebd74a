"""Padding is replaced in the inputs, before anything is computed from them."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    blank = torch.zeros_like(new)
    new = torch.where(mask, new, blank)
    old = torch.where(mask, old.detach(), blank)
    ref = torch.where(mask, ref.detach(), blank)
    ratio = (new - old).clamp(-20.0, 20.0).exp()
    column = advantages[:, None].to(ratio.dtype)
    surrogate = torch.min(ratio * column, ratio.clamp(1 - clip_eps, 1 + clip_eps) * column)
    delta = (ref - new).clamp(-20.0, 20.0)
    kl = torch.expm1(delta) - delta
    per_token = torch.where(mask, beta * kl - surrogate, blank)
    return per_token.sum() / (token_count or max(int(mask.sum()), 1))
