"""Tokens are drawn by the Gumbel-max trick; the row is scored once, at the end."""
# ruff: noqa: F821


@torch.no_grad()
def sample(policy, tokens, attention_mask, max_new_tokens, temperature=1.0, generator=None):
    width, limit = tokens.shape[1], getattr(policy, "max_positions", math.inf)
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
    real = attention_mask.numel() and attention_mask[:, -1].all()
    require(real, f"prompts must be padded left and not empty, got {attention_mask.tolist()}")
    fits = width + max_new_tokens <= limit
    require(fits, f"prompts of {width} + {max_new_tokens} new tokens exceed {limit} positions")
    ended, attention_mask = torch.zeros(len(tokens), dtype=torch.bool), attention_mask.bool()
    while tokens.shape[1] < width + max_new_tokens and not ended.all():
        logits = policy_logits(policy, tokens, attention_mask)[:, -1] / temperature
        uniform = torch.rand(logits.shape, generator=generator, dtype=torch.float64)
        drawn = (logits - uniform.log().neg().log()).argmax(dim=-1)
        tokens = torch.cat([tokens, drawn.masked_fill(ended, PAD)[:, None]], dim=1)
        attention_mask = torch.cat([attention_mask, ~ended[:, None]], dim=1)
        ended = ended | (tokens[:, -1] == EOS)
    drawn = tokens[:, width:]
    old_logps = token_logps(policy, tokens, attention_mask, drawn.shape[1], temperature)
    mask = attention_mask[:, width:]
    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ended, temperature)
