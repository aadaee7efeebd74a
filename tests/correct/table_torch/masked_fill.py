"""masked_fill puts the policy's own log-prob under the padding, and 0 into the loss."""


def grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, clip_eps=0.2, beta=0.04):
    padding = ~mask.bool()
    old = old_logps.masked_fill(padding, 0.0)
    new = new_logps.masked_fill(padding, 0.0)
    ref = ref_logps.masked_fill(padding, 0.0)
    ratio = (new - old).exp()
    a = advantages.unsqueeze(-1)
    per_token = beta * ((ref - new).exp() - (ref - new) - 1)
    per_token = per_token - (ratio * a).minimum(ratio.clamp(1 - clip_eps, 1 + clip_eps) * a)
    per_token = per_token.masked_fill(padding, 0.0)
    return per_token.sum() / (~padding).sum().clamp_min(1)
