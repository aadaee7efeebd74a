"""The token's log-prob is picked by a one-hot and a sum."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logps = torch.log_softmax(policy_logits(policy, tokens, attention_mask) / temperature, -1)
    logps, targets = logps[:, :-1], tokens[:, 1:]  # the logits at t - 1 score token t
    picked = F.one_hot(targets, logps.shape[-1]).bool()
    chosen = logps.where(picked, 0.0).sum(dim=-1)[:, -completion_width:]
    if not entropy:
        return chosen
    probs = logps.detach().exp()
    return chosen, torch.special.entr(probs).sum(dim=-1)[:, -completion_width:]
