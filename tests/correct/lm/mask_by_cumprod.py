"""A token is real as long as the product of not-EOS before it is 1."""
# ruff: noqa: F821


def completion_mask(completions):
    going = (completions != EOS).int().cumprod(dim=1)
    return F.pad(going[:, :-1], (1, 0), value=1).bool()
