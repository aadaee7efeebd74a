"""torch.distributions scores the tokens and knows their entropy."""
# ruff: noqa: F821

from torch.distributions import Categorical


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens, attention_mask)
    choice = Categorical(logits=logits[:, -completion_width - 1 : -1] / temperature)
    chosen = choice.log_prob(tokens[:, -completion_width:])
    return (chosen, choice.entropy().detach()) if entropy else chosen
