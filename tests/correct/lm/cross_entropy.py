"""Log-probs as negative cross-entropies, unreduced."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens, attention_mask)[:, -completion_width - 1 : -1]
    logits = logits / temperature
    targets = tokens[:, -completion_width:]
    chosen = -F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    if not entropy:
        return chosen
    with torch.no_grad():
        return chosen, (torch.logsumexp(logits, -1) - (logits.softmax(-1) * logits).sum(-1))
