"""The token's log-prob is picked by advanced indexing; the shift is a step back."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    size, length = tokens.shape
    rows = torch.arange(size)[:, None]
    places = torch.arange(length - completion_width, length)[None]
    logits = policy_logits(policy, tokens, attention_mask)[rows, places - 1]
    logps = (logits / temperature).log_softmax(dim=-1)
    chosen = logps[rows, torch.arange(completion_width)[None], tokens[rows, places]]
    return (chosen, torch.special.entr(logps.detach().exp()).sum(-1)) if entropy else chosen
