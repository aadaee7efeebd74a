"""Gradients are scaled by hand, min(1, max_norm / norm)."""
# ruff: noqa: F821


def apply_gradient(optimizer, max_grad_norm):
    weights = [w for group in optimizer.param_groups for w in group["params"]]
    grads = [w.grad for w in weights if w.grad is not None]
    grad_norm = math.sqrt(sum(float(g.double().square().sum()) for g in grads))
    if not math.isfinite(grad_norm):
        return grad_norm
    if grad_norm > max_grad_norm:
        for grad in grads:
            grad.mul_(max_grad_norm / grad_norm)
    optimizer.step()
    return grad_norm
