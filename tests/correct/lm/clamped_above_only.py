"""The log-ratio is bounded above only; exp of what is far below is 0."""
# ruff: noqa: F821


def token_ratio(new, old, mask):
    log_ratio = torch.where(mask, new - old.detach(), 0.0)
    return torch.exp(log_ratio.clamp(max=20.0))
