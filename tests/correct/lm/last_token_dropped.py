"""The model is not asked about what would follow the last token."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens[:, :-1], attention_mask[:, :-1])
    logps = F.log_softmax(logits[:, -completion_width:].div(temperature), dim=2)
    chosen = logps.gather(2, tokens[:, -completion_width:].unsqueeze(2)).squeeze(2)
    return (chosen, torch.special.entr(logps.detach().exp()).sum(dim=2)) if entropy else chosen
