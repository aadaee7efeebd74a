"""docs/math.md, masks, averages and the value of the loss: one test per claim."""

import math

import torch
from exact import PI, answers, column, full_mask, gradient, near, says, shown

from fixed import lm, table


def rows(lengths, width=None):
    """A mask (N, T) of these lengths."""
    return [[1] * n + [0] * ((width or max(lengths)) - n) for n in lengths]


def loss_at_one(advantages, mask, beta=0.0, ref=-1.0):
    """fixed/table.py's loss where new = old = -1 everywhere."""
    same = [[-1.0] * len(row) for row in mask]
    refs = [[ref] * len(row) for row in mask]
    return table.grpo_loss(same, same, refs, advantages, mask, beta=beta)


def test_loss_at_start():
    assert near(loss_at_one([1.0, -1.0], rows([3, 3])), 0.0)
    uneven = loss_at_one([1.0, -1.0], rows([1, 3]))
    lengths, advantages = [2, 5, 1], [0.7, -1.1, 0.4]
    total = sum(n * a for n, a in zip(lengths, advantages))
    assert near(loss_at_one(advantages, rows(lengths)), -total / sum(lengths))
    says("loss-at-start", shown(uneven, 1))


def test_value_not_gradient():
    theta, tokens = [[0.0] * 4], [[0], [1]]
    old = table.token_logps(theta, [0, 0], tokens)

    def loss(x):
        return table.grpo_loss(
            table.token_logps(x, [0, 0], tokens), old, old, [1.0, -1.0], [[1], [1]]
        )

    grad = table.numeric_grad(loss, theta)[0]
    assert near(loss(theta), 0.0) and near(grad, [-0.5, 0.5, 0.0, 0.0], 1e-6)
    says("value-not-gradient", "-0.5", "0.5")


def test_loss_is_kl():
    for ref in (-1.0, -2.5, 0.3):
        k3 = math.exp(ref + 1) - (ref + 1) - 1
        assert near(loss_at_one([1.5, -1.5], rows([2, 2]), 0.04, ref), 0.04 * k3)


def test_padding_invariant():
    args = [[-1.0, -2.0], [-0.5, -9.0]], [[-1.2, -2.0], [-0.4, -9.0]], [[-1.0, -1.0], [-1.0, -9.0]]
    wider = [[row + [-7.0] * 3 for row in part] for part in args]
    advantages, mask = [1.0, -0.5], rows([2, 1])
    value = table.grpo_loss(*args, advantages, mask)
    assert value == table.grpo_loss(*wider, advantages, rows([2, 1], 5))
    tensors = [torch.tensor(part) for part in (*wider, advantages, rows([2, 1], 5))]
    assert near(lm.grpo_loss(*tensors), value, 1e-6)
    says("padding-invariant", shown(3 / 4, 2), shown(3 / 10, 1))  # N T is 4, then 10


def weights(lengths, width):
    """-d loss / d new of every row's first token (A = 1, ratio 1) under the three averages."""
    new = torch.zeros(len(lengths), width, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor(rows(lengths, width)).bool()
    ones = torch.ones(len(lengths), dtype=torch.float64)

    def token_weights(loss):
        return (-torch.autograd.grad(loss, new)[0])[:, 0]

    token = lm.grpo_loss(new, new.detach(), new.detach(), ones, mask, beta=0.0)
    by_row = [
        lm.grpo_loss(*[new[i : i + 1]] * 2, new[i : i + 1].detach(), ones[:1], mask[i : i + 1])
        for i in range(len(lengths))
    ]
    constant = lm.grpo_loss(
        new, new.detach(), new.detach(), ones, mask, beta=0.0, token_count=len(lengths) * width
    )
    return [token_weights(x) for x in (token, sum(by_row) / len(lengths), constant)]


def test_three_weights():
    token, sequence, constant = weights([1, 3], 4)
    assert near(token, [1 / 4, 1 / 4])
    assert near(sequence, [1 / 2, 1 / 6])
    assert near(constant, [1 / 8, 1 / 8])
    token, sequence, _ = weights([2, 20], 20)
    assert near(sequence[0] / sequence[1], 10.0) and near(token[0], token[1])
    token, sequence, constant = weights([3, 3], 3)  # equal lengths: no difference
    assert near(token, sequence) and near(token, constant)
    says("three-weights", "1/4", "1/2", "1/6", "1/8")


def mean_push(size, weight):
    """Mean over groups of sampled answers of the gradient in the stop logit, A = 1 in each.

    Stop has probability 1/2; weight(lengths) is what each row's sum of log-probs is multiplied by.
    """
    score = {0: -0.5, 1: 0.5}  # d log pi(token) / d (stop logit)
    sampled = [(0.5 ** len(a), len(a), sum(score[t] for t in a)) for a in answers()]
    total = 0.0
    for index in torch.cartesian_prod(*[torch.arange(len(sampled))] * size).view(-1, size).tolist():
        group = [sampled[i] for i in index]
        chance = math.prod(p for p, _, _ in group)
        factors = weight([n for _, n, _ in group])
        total += chance * sum(w * s for w, (_, _, s) in zip(factors, group))
    return total


def test_length_baseline():
    constant = mean_push(3, lambda lengths: [1 / 9] * 3)
    sequence = mean_push(3, lambda lengths: [1 / n / 3 for n in lengths])
    token = [mean_push(g, lambda lengths: [1 / sum(lengths)] * g) for g in (3, 5)]
    assert near(constant, 0.0) and near(sequence, mean_push(1, lambda lengths: [1 / lengths[0]]))
    assert sequence > token[0] > token[1] > 0.0
    says("length-baseline", shown(sequence, 3), *(shown(t, 2) for t in token))


def test_length_unchosen():
    # In the table trainer the length is drawn without the policy: given it, the mean push is 0.
    score = torch.eye(4, dtype=torch.float64) - PI
    for length in (1, 2, 3):
        push = sum(
            PI[list(g)].prod() * score[list(g)].sum(0) / length
            for g in torch.cartesian_prod(*[torch.arange(4)] * length).view(-1, length).tolist()
        )
        assert near(push, torch.zeros(4))


def test_mean_of_means():
    whole = loss_at_one([1.0, -1.0], rows([1, 3]))
    halves = [loss_at_one([1.0], [[1]]), loss_at_one([-1.0], [[1, 1, 1]])]
    assert near(sum(halves) / 2, 0.0)
    new = torch.zeros(2, 3, dtype=torch.float64)
    mask, advantages = torch.tensor(rows([1, 3])).bool(), torch.tensor([1.0, -1.0]).double()
    parts = [
        lm.grpo_loss(*[new[i : i + 1]] * 3, advantages[i : i + 1], mask[i : i + 1], token_count=4)
        for i in range(2)
    ]
    assert near(sum(parts), whole)
    says("mean-of-means", shown(whole, 1), "0")


def test_empty_batch():
    assert table.grpo_loss([[-1.0]], [[-1.0]], [[-2.0]], [1.0], [[0]]) == 0.0
    new = torch.tensor([[-1.0]], requires_grad=True)
    loss = lm.grpo_loss(new, new, new, torch.ones(1), torch.tensor([[False]]))
    loss.backward()
    assert loss.item() == 0.0 and new.grad.item() == 0.0


def value_and_gradient(loss, old, mask, advantage=1.0):
    new = torch.full((1, 2), -1.0, dtype=torch.float64, requires_grad=True)
    old, mask = torch.tensor([old], dtype=torch.float64), torch.tensor([mask])
    value = loss(new, old, torch.tensor([advantage], dtype=torch.float64), mask)
    return value.item(), torch.autograd.grad(value, new)[0]


def test_masked_rubbish():
    def multiplied(new, old, advantages, mask):  # the mask comes last
        ratio = (new - old).exp()
        surrogate = torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
        return -(surrogate * mask).sum() / mask.sum()

    def ours(new, old, advantages, mask):
        return lm.grpo_loss(new, old, new.detach(), advantages, mask, beta=0.0)

    value, grad = value_and_gradient(multiplied, [-1.0, -1000.0], [True, False])
    assert value == -1.0 and grad.isnan().tolist() == [[False, True]]
    for rubbish in (-1000.0, math.nan, math.inf, -math.inf):
        value, grad = value_and_gradient(ours, [-1.0, rubbish], [True, False])
        assert value == -1.0 and grad.tolist() == [[-1.0, 0.0]]


def test_extreme_ratio():
    def ours(new, old, advantages, mask):
        return lm.grpo_loss(new, old, new.detach() * 2, advantages, mask)

    for old, advantage in ((-201.0, -1.0), (-201.0, 1.0), (199.0, -1.0)):
        value, grad = value_and_gradient(ours, [old, -1.0], [True, True], advantage)
        assert math.isfinite(value) and grad.isfinite().all()
    ratio = lm.token_ratio(torch.tensor([[200.0]]), torch.tensor([[0.0]]), torch.tensor([[True]]))
    assert near(ratio.double() / math.exp(20), [[1.0]], 1e-6)
    says("extreme-ratio", "20")


def test_clip_fraction_two_ways():
    ratios = [1.5, 0.5, 1.0, 1.0]
    new, old = [[-2.0 + math.log(r) for r in ratios]], [[-2.0] * 4]
    share = table.clip_fraction(new, old, [[1] * 4])
    assert share == lm.clip_fraction(
        torch.tensor(new), torch.tensor(old), full_mask(column([0] * 4)).T
    )
    binds = sum(r > 1.2 for r in ratios) / 4  # A > 0 in the whole row
    assert share == 0.5 and binds == 0.25
    says("clip-fraction-two-ways", share, binds)


def test_eos_counts():
    assert lm.completion_mask(torch.tensor([[5, lm.EOS, lm.PAD, lm.PAD]])).tolist() == [
        [True, True, False, False]
    ]
    # One token: EOS, probability .3, reward 1; or another, reward 0. No baseline.
    probs, drawn = torch.tensor([0.7, 0.3], dtype=torch.float64), torch.tensor([[5], [lm.EOS]])

    def push(masks):
        def loss(logps):
            new, rewards = logps[:, None], torch.tensor([0.0, 1.0], dtype=torch.float64)
            parts = [
                lm.grpo_loss(*[new[i : i + 1]] * 3, rewards[i : i + 1], masks[i : i + 1])
                for i in range(2)
            ]
            return -(probs[0] * parts[0] + probs[1] * parts[1])

        return gradient(loss, probs)

    true = gradient(lambda logps: logps[1].exp(), probs)  # of the mean reward
    assert near(push(lm.completion_mask(drawn)), true)
    assert near(push(drawn != lm.EOS), [0.0, 0.0])
    says("eos-counts", shown(true[1], 2))
