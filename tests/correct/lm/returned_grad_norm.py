"""The norm that clip_grad_norm_ returns is the one reported and tested."""
# ruff: noqa: F821


def apply_gradient(optimizer, max_grad_norm):
    weights = [w for group in optimizer.param_groups for w in group["params"]]
    grad_norm = nn.utils.clip_grad_norm_(weights, max_grad_norm).item()
    if math.isfinite(grad_norm):
        optimizer.step()
    else:
        optimizer.zero_grad()
    return grad_norm
