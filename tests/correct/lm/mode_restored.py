"""The policy is in eval mode while it is called, and left in the mode it had."""
# ruff: noqa: F821


def policy_logits(policy, tokens, attention_mask):
    training = getattr(policy, "training", False)
    if isinstance(policy, nn.Module):
        policy.train(False)
    try:
        return policy(tokens, attention_mask, position_ids(attention_mask))
    finally:
        if training:
            policy.train()
