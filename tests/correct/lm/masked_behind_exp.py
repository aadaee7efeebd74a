"""Padding is replaced behind exp; the clamp before it stops NaN and inf on the way back."""
# ruff: noqa: F821


def token_ratio(new, old, mask):
    log_ratio = (new - old.detach()).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return log_ratio.exp().where(mask, 1.0)
