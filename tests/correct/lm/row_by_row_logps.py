"""Each row is scored alone, without its padding."""
# ruff: noqa: F821


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    chosen, entropies = [], []
    for row, real in zip(tokens, attention_mask.bool()):
        first = int(real.int().argmax())
        logits = policy_logits(policy, row[None, first:], real[None, first:])[0]
        logps = F.log_softmax(logits[-completion_width - 1 : -1] / temperature, dim=-1)
        chosen.append(logps.gather(1, row[-completion_width:, None])[:, 0])
        entropies.append(torch.special.entr(logps.detach().exp()).sum(dim=-1))
    return (torch.stack(chosen), torch.stack(entropies)) if entropy else torch.stack(chosen)
