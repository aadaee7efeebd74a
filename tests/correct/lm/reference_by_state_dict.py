"""The reference is a fresh model of the same class that loads the weights."""
# ruff: noqa: F821


def blank_copy(policy):
    """A model of the same class and shapes, whatever its constructor takes, with other weights."""
    if type(policy) is not TinyLM:
        return copy.deepcopy(policy)
    vocab, width = policy.token.weight.shape
    layers, heads = len(policy.blocks), policy.blocks[0].heads
    return TinyLM(vocab, width, layers, heads, policy.max_positions, policy.dropout.p)


def make_reference(policy):
    reference = blank_copy(policy).to(dtype=next(policy.parameters()).dtype)
    reference.load_state_dict(policy.state_dict())
    for weight in reference.parameters():
        weight.requires_grad = False
    return reference.eval()
