"""A token is real if no EOS stands before it."""
# ruff: noqa: F821


def completion_mask(completions):
    is_eos = (completions == EOS).int()
    return is_eos.cumsum(dim=1) - is_eos == 0
