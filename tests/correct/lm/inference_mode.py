"""Sampling and scoring under inference_mode; what is kept is cloned outside it."""
# ruff: noqa: F821

sample_with_gradient = sample.__wrapped__


def sample(*args, **kwargs):
    with torch.inference_mode():
        rollout = sample_with_gradient(*args, **kwargs)
    for name, value in vars(rollout).items():
        if isinstance(value, torch.Tensor):
            setattr(rollout, name, value.clone())
    return rollout


def score_rollout(policy, rollout, micro_batch_size=None):
    size, width = micro_batch_size or len(rollout.mask), rollout.mask.shape[1]
    parts = zip(rollout.tokens.split(size), rollout.attention_mask.split(size))
    with torch.inference_mode():
        logps = [token_logps(policy, *part, width, rollout.temperature) for part in parts]
    return torch.cat(logps).clone()
