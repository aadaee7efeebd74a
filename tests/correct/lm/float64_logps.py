"""Logits are turned into log-probs in float64."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens, attention_mask)[:, -completion_width - 1 : -1].double()
    logps = F.log_softmax(logits / temperature, dim=-1)
    chosen = logps.gather(-1, tokens[:, -completion_width:].unsqueeze(-1)).squeeze(-1)
    return (chosen, torch.special.entr(logps.detach().exp()).sum(dim=-1)) if entropy else chosen
