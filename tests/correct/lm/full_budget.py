"""Sampling always runs for the whole budget; rows that ended are padded."""
# ruff: noqa: F821


def sample(policy, tokens, attention_mask, max_new_tokens, temperature=1.0, generator=None):
    width, limit = tokens.shape[1], getattr(policy, "max_positions", math.inf)
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
    real = attention_mask.numel() and attention_mask[:, -1].all()
    require(real, f"prompts must be padded left and not empty, got {attention_mask.tolist()}")
    fits = width + max_new_tokens <= limit
    require(fits, f"prompts of {width} + {max_new_tokens} new tokens exceed {limit} positions")
    ended, logps = torch.zeros(len(tokens), 1, dtype=torch.bool), []
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits = policy_logits(policy, tokens, attention_mask)
        probs = torch.softmax(logits[:, -1] / temperature, dim=-1)
        drawn = torch.multinomial(probs, num_samples=1, generator=generator)
        logps.append((logits[:, -1] / temperature).log_softmax(-1).gather(-1, drawn))
        tokens = torch.cat([tokens, torch.where(ended, PAD, drawn)], dim=1)
        attention_mask = torch.cat([attention_mask.bool(), ~ended], dim=1)
        ended = ended | (tokens[:, -1:] == EOS)
    drawn = tokens[:, width:]
    return Rollout(
        tokens,
        attention_mask,
        drawn,
        completion_mask(drawn),
        torch.cat(logps, dim=1),
        ended.flatten(),
        temperature,
    )
