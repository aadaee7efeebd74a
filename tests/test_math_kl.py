"""docs/math.md, KL estimators and their gradients as losses: one test per claim."""

import math

import torch
from exact import (
    OLD,
    PI,
    REF,
    REWARDS,
    column,
    expected_gradient,
    full_mask,
    gradient,
    kl,
    near,
    says,
    shown,
)

from fixed import lm, table

DELTA = (REF / PI).log()  # of every token
TO_REF = gradient(lambda logps: (logps.exp() * (logps - REF.log())).sum())
FROM_REF = gradient(lambda logps: -(REF * logps).sum())  # of KL(ref || pi)


def k3(logps, ref=REF):
    return lm.k3(column(logps), column(ref.log()))[:, 0]


def token_k3(delta):
    """fixed/table.py's KL term of one token: ratio 1, A = 0, beta 1."""
    return table.grpo_loss([[-2.0]], [[-2.0]], [[delta - 2.0]], [0.0], [[1]], beta=1.0)


def as_loss(estimator, size=1, sampler=None):
    """Mean gradient, over tokens of the sampler, of an estimator of (new, its log ref)."""
    return expected_gradient(
        lambda n, g: estimator(n, column(REF[g].log())).mean(), size, PI, sampler
    )


def test_kl_values():
    exact = kl(PI, REF)
    assert near(PI @ -DELTA, exact) and near(PI @ k3(PI.log()), exact)
    k2 = PI @ (DELTA**2 / 2)
    assert not near(k2, exact, 0.01)
    says("kl-values", shown(exact, 3), shown(k2, 3))


def test_kl_signs():
    for delta in (-3.0, -0.5, 0.5, 3.0):
        assert token_k3(delta) > 0
        assert near(token_k3(delta), math.exp(delta) - delta - 1)
    assert token_k3(0.0) == 0
    values = k3(PI.log())
    assert (values >= 0).all() and (-DELTA < 0).any()
    says("kl-signs", shown(-DELTA[2], 2), shown(values[2], 3))


def test_kl_variance():
    close = PI + torch.tensor([0.01, -0.01, 0.01, -0.01], dtype=torch.float64)
    sure = torch.tensor([0.97, 0.01, 0.01, 0.01], dtype=torch.float64)
    for probs, ref, smaller in ((PI, close, True), (sure, sure.flip(0), False)):
        spreads = [
            (probs @ (k - probs @ k).square()).sqrt()
            for k in ((probs / ref).log(), k3(probs.log(), ref))
        ]
        assert (spreads[1] < spreads[0]) == smaller
        says("kl-variance", *(shown(s, 2) for s in spreads))


def test_k3_reversed():
    turned = PI @ lm.k3(column(REF.log()), column(PI.log()))[:, 0]
    assert near(turned, PI @ (PI / REF) - 1 - kl(PI, REF))
    assert near(REF @ lm.k3(column(REF.log()), column(PI.log()))[:, 0], kl(REF, PI))
    says("k3-reversed", shown(turned, 3), shown(kl(PI, REF), 3), shown(kl(REF, PI), 3))


def test_k1_gradient():
    assert near(as_loss(lambda new, ref: new - ref), torch.zeros(4))


def test_k2_gradient():
    assert near(TO_REF, PI * (-DELTA - kl(PI, REF)))
    assert near(as_loss(lambda new, ref: (ref - new).square() / 2), TO_REF)
    says("k2-gradient", *(f"{g:.3f}" for g in TO_REF))


def test_k3_gradient():
    assert near(FROM_REF, PI - REF)
    assert near(as_loss(lm.k3), FROM_REF)
    says("k3-gradient", *(f"{g + 0.0:.1f}" for g in FROM_REF.round(decimals=9)))

    def loss(new, group):  # the whole loss, advantages 0
        ref, mask = column(REF[group].log()), full_mask(new)
        return lm.grpo_loss(new, new.detach(), ref, torch.zeros(2).double(), mask, beta=1.0)

    assert near(expected_gradient(loss, 2), FROM_REF)


def ratio_k3(below):
    """The estimator times pi / below, whose log is given per token of the group."""

    def loss(new, group):
        old = new.detach() if below is None else column(below[group].log())
        return ((new - old).exp() * lm.k3(new, column(REF[group].log()))).mean()

    return loss


def test_ratio_k3():
    assert near(expected_gradient(ratio_k3(None)), TO_REF)


def test_k3_off_policy():
    stale = OLD @ k3(PI.log())
    assert not near(stale, kl(PI, REF), 0.01)
    assert near(OLD @ (PI / OLD * k3(PI.log())), kl(PI, REF))
    drawn = as_loss(lm.k3, sampler=OLD)
    assert not near(drawn, FROM_REF, 0.01) and not near(drawn, TO_REF, 0.01)
    assert near(expected_gradient(ratio_k3(OLD), 1, PI, OLD), TO_REF)
    says("k3-off-policy", shown(stale, 3), shown(kl(PI, REF), 3))


def test_k3_pull():
    h = 1e-6
    for above in (-2.0, -0.5, 0.5, 2.0):  # new - ref

        def loss(new):
            return table.grpo_loss([[new]], [[-3.0]], [[-3.0 - above]], [0.0], [[1]], beta=1.0)

        pull = (loss(-3.0 + h) - loss(-3.0 - h)) / (2 * h)
        assert near(pull, 1 - math.exp(-above), 1e-6)
        assert pull < 1 and (pull > 0) == (above > 0)
        if abs(above) == 2:
            says("k3-pull", shown(pull, 3))


def test_k1_in_reward():
    # A = r - beta k1 with k1 a number: ascends J - beta KL(pi || ref).
    beta, k1 = 0.5, -DELTA

    def loss(new, group):
        old, mask = new.detach(), full_mask(new)
        return -lm.grpo_loss(new, old, old, (REWARDS - beta * k1)[group], mask, beta=0.0)

    true = gradient(lambda logps: logps.exp() @ REWARDS)
    assert near(expected_gradient(loss), true - beta * TO_REF)


def test_kl_future():
    # Two tokens; the second policy depends on the first token, and so does its reference.
    theta = torch.tensor([[0.4, -0.4], [1.0, -1.0], [-0.5, 0.5]], dtype=torch.float64)
    ref = torch.tensor([[0.0, 0.0], [0.0, 0.0], [-0.5, 0.5]], dtype=torch.float64).log_softmax(-1)
    theta.requires_grad_()
    logps = theta.log_softmax(-1)
    pairs = [(a, b) for a in range(2) for b in range(2)]

    def log_pi(table_, a, b):
        return torch.stack([table_[0, a], table_[1 + a, b]])

    chance = {p: log_pi(logps, *p).sum().exp() for p in pairs}
    whole = sum(chance[p] * (log_pi(logps, *p) - log_pi(ref, *p)).sum() for p in pairs)
    per_token = sum(
        chance[p].detach() * ((log_pi(logps, *p) - log_pi(ref, *p)) ** 2 / 2).sum() for p in pairs
    )
    true, local = (torch.autograd.grad(f, theta, retain_graph=True)[0] for f in (whole, per_token))
    assert near(local[1:], true[1:])  # the last token has no future
    says("kl-future", shown(true[0, 0], 3), shown(local[0, 0], 3))
    later = sum((logps[1].exp() * (logps[1] - ref[1])).detach())  # KL after token 0; 0 after 1
    first = logps[0].exp().prod().detach()
    assert near(true[0, 0] - local[0, 0], first * later)


def test_beta_zero():
    new, old, mask = [[-1.0, -2.0]], [[-1.1, -1.9]], [[1, 1]]
    for ref in ([[-1.0, -9.0]], [[-5.0, -0.1]]):
        plain = table.grpo_loss(new, old, ref, [1.0], mask, beta=0.0)
        assert plain == table.grpo_loss(new, old, new, [1.0], mask, beta=0.04)


def test_tied_group():
    tokens, theta = [[0], [1]], [PI.log().tolist()]
    ref = [[math.log(REF[t[0]])] for t in tokens]
    old = table.token_logps(theta, [0, 0], tokens)
    advantages = table.group_advantages([0.5, 0.5], 2)

    def loss(beta):
        return lambda x: table.grpo_loss(
            table.token_logps(x, [0, 0], tokens), old, ref, advantages, [[1], [1]], beta=beta
        )

    grad = torch.tensor(table.numeric_grad(loss(0.04), theta)[0])
    pull = sum(0.02 * (1 - REF[t] / PI[t]) * (torch.eye(4)[t] - PI) for t in (0, 1))
    assert near(grad, pull, 1e-6) and grad.norm() > 0.005
    assert near(table.numeric_grad(loss(0.0), theta), torch.zeros(1, 4))
    says("tied-group", *(f"{g:.4f}" for g in pull))
