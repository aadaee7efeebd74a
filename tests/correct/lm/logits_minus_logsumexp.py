"""log pi = logit of the token - log-sum-exp of all."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens[:, :], attention_mask) / temperature
    start = tokens.shape[1] - completion_width
    logits, targets = logits[:, start - 1 : tokens.shape[1] - 1], tokens[:, start:]
    normaliser = torch.logsumexp(logits, dim=-1, keepdim=True)
    chosen = (torch.take_along_dim(logits, targets[..., None], dim=-1) - normaliser)[..., 0]
    logps = (logits - normaliser).detach()
    return (chosen, -(logps.exp() * logps).sum(-1)) if entropy else chosen
