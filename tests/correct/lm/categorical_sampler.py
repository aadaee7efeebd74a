"""Sampling and its log-probs in torch.distributions' terms, with one-token budget kept."""
# ruff: noqa: F821

from torch.distributions import Categorical


@torch.no_grad()
def sample(policy, tokens, attention_mask, max_new_tokens, temperature=1.0, generator=None):
    width, limit = tokens.shape[1], getattr(policy, "max_positions", math.inf)
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
    real = attention_mask.numel() and attention_mask[:, -1].all()
    require(real, f"prompts must be padded left and not empty, got {attention_mask.tolist()}")
    fits = width + max_new_tokens <= limit
    require(fits, f"prompts of {width} + {max_new_tokens} new tokens exceed {limit} positions")
    alive, attention_mask = torch.ones(len(tokens), dtype=torch.bool), attention_mask.bool()
    logps, masks = [], []
    for _ in range(max_new_tokens):
        if not alive.any():
            break
        choice = Categorical(
            logits=policy_logits(policy, tokens, attention_mask)[:, -1] / temperature
        )
        drawn = torch.multinomial(choice.probs, 1, generator=generator)[:, 0]
        logps.append(choice.log_prob(drawn))
        masks.append(alive)
        tokens = torch.cat([tokens, torch.where(alive, drawn, PAD)[:, None]], dim=1)
        attention_mask = torch.cat([attention_mask, alive[:, None]], dim=1)
        alive = alive & (drawn != EOS)
    mask, old_logps = torch.stack(masks, dim=1), torch.stack(logps, dim=1)
    return Rollout(tokens, attention_mask, tokens[:, width:], mask, old_logps, ~alive, temperature)
