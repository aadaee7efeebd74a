"""The reference is the policy's code called with a copy of its first weights."""
# ruff: noqa: F821


class Frozen(nn.Module):
    def __init__(self, policy):
        super().__init__()
        self.__dict__["code"] = policy  # not a submodule: its weights are not ours
        self.weights = {name: w.detach().clone() for name, w in policy.state_dict().items()}

    def forward(self, *inputs):
        self.code.train(self.training)
        return torch.func.functional_call(self.code, self.weights, inputs)


def make_reference(policy):
    return Frozen(policy)
