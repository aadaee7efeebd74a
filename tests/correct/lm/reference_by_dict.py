"""The reference is an empty object of the policy's class with a deep copy of its state."""
# ruff: noqa: F821


def make_reference(policy):
    reference = type(policy).__new__(type(policy))
    reference.__dict__ = copy.deepcopy(vars(policy))
    reference.eval()
    return reference.requires_grad_(False)
