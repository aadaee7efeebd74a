import math

from kata.expect import close, expect

MOVES = (-0.9, -0.5, -0.05, 0.05, 0.5, 1.8)


def bound(ratio, advantage, clip_eps):
    clipped = min(max(ratio, 1 - clip_eps), 1 + clip_eps)
    return min(ratio * advantage, clipped * advantage)


def test_pessimism(trainer, rng):
    """Clipping makes the objective look better than it is."""
    # Answers of one token, no KL term. The objective is minus the loss, or the loss where a higher
    # one is what a good token gets.
    old = math.log(rng.choice([0.1, 0.12, 0.15]))

    def objective(rows, advantages, clip_eps=0.2):
        same = [[old] * len(row) for row in rows]
        ref, mask = [[-0.7] * len(row) for row in rows], [[1] * len(row) for row in rows]
        return -trainer.grpo_loss(rows, same, ref, advantages, mask, clip_eps=clip_eps, beta=0.0)

    turn = 1.0 if objective([[old]], [1.0]) > 0 else -1.0
    cases = [(m, a, eps) for eps in (0.2, 0.3) for a in (2.0, -0.5) for m in MOVES]
    found = [turn * objective([[old + move]], [a], eps) for move, a, eps in cases]
    # The ratio is exp(new - old). Where it is something else, that is another bug's: the bound must
    # then hold for the quotient of the log-probs, in all cases alike.
    wanted = [bound(math.exp(move), a, eps) for move, a, eps in cases]
    quotient = [bound((old + move) / old, a, eps) for move, a, eps in cases]
    for (move, a, eps), value, right in zip(cases, found, wanted):
        expect(
            close(value, right) or close(found, quotient),
            called=f"the objective of one token, new - old = {move}, A = {a}, clip_eps = {eps}",
            returned=value,
            expected=right,
            why="Beyond the range the objective promises no more gain, and it hides no loss: it is a "
            "bound from below on what the policy would be worth unclipped.",
        )

    # Three answers of two tokens: the mean of the six, each bounded by itself.
    rows = [[old + MOVES[0], old + MOVES[5]], [old + MOVES[4], old], [old + MOVES[1], old + 1.0]]
    advantages = [1.0, -1.0, 0.5]
    alone = [turn * objective([[new]], [a]) for row, a in zip(rows, advantages) for new in row]
    together = turn * objective(rows, advantages)
    expect(
        close(together, sum(alone) / 6),
        called=f"the objective of three answers of two tokens, A = {advantages}, and of each token "
        "alone",
        returned=f"{together:.4g}, and {[round(value, 4) for value in alone]}",
        expected=f"{sum(alone) / 6:.4g}, the mean of the six",
        why="The bound is taken token by token, before anything is averaged.",
    )
