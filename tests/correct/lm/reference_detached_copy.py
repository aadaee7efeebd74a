"""The reference is copied tensor by tensor into a deep copy, in eval mode."""
# ruff: noqa: F821


def make_reference(policy):
    reference = copy.deepcopy(policy)
    with torch.no_grad():
        for mine, theirs in zip(reference.parameters(), policy.parameters()):
            mine.copy_(theirs.clone())
    reference.eval()
    for weight in reference.parameters():
        weight.requires_grad_(False)
    return reference
