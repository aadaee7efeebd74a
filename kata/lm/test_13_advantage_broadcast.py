from kata.expect import expect


def test_advantage_broadcast(trainer, rng):
    """Half of a good answer is praised, half of a bad one as well."""
    # Two answers, A = 1 and 0. Nothing has moved, so all ratios are 1: every token of the first
    # answer gets the same push, no token of the second any.
    logp, push = rng.choice([-1.0, -2.0]), rng.choice([1.0, 2.0])
    for width in (3, 2):
        p, mask = [[logp] * width] * 2, [[1] * width] * 2
        first, second = trainer.loss(p, p, p, [push, 0.0], mask, beta=0.0)["new"]
        even = all(abs(slope - first[0]) < 1e-9 for slope in first) and abs(first[0]) > 1e-3
        expect(
            even and all(slope == 0 for slope in second),
            called=f"grpo_loss of two answers of {width} tokens, A = {push} and 0: d loss / d new",
            returned=[first, second],
            expected="one number all along the first answer, 0 all along the second",
            why="An advantage belongs to an answer, and to all of its tokens.",
        )
