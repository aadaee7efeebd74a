import math

from kata.expect import close, expect


def test_loss_sign(trainer, rng):
    """Good answers become rarer with every update, bad ones more common."""
    # Nothing has moved yet: new = old = ref, so every ratio is 1, the KL term 0 and the surrogate
    # of a token its advantage. Descending the loss must raise it, so the loss is minus their mean.
    p = [[math.log(rng.choice([0.2, 0.3, 0.5]))], [math.log(0.4)]]
    better, worse = rng.choice([1.0, 2.0]), rng.choice([-0.5, -3.0])
    for advantages in ([better, better], [worse, worse], [better, worse]):
        loss = trainer.grpo_loss(p, p, p, advantages, [[1], [1]])
        expect(
            close(loss, -sum(advantages) / 2),
            called=f"grpo_loss before the first update, two answers of one token, A = {advantages}",
            returned=loss,
            expected=-sum(advantages) / 2,
            why="The loss is minimised: whatever makes the good answers likelier must lower it.",
        )

    # A = 0 leaves the KL term: beta * (exp(d) - d - 1) with d = ref - new.
    for d in (1.0, -1.0):
        wanted = 0.5 * (math.exp(d) - d - 1)
        loss = trainer.grpo_loss([[-1.5]], [[-1.5]], [[-1.5 + d]], [0.0], [[1]], beta=0.5)
        expect(
            close(loss, wanted),
            called=f"grpo_loss of one token with A = 0, new = old, ref - new = {d}, beta = 0.5",
            returned=loss,
            expected=wanted,
            why="With nothing to gain, only the distance to the reference is left, and it costs.",
        )
