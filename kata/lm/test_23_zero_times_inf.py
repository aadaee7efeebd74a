from kata.expect import close, expect


def test_zero_times_inf(trainer, rng):
    """Everything is fine until the padding holds something odd, then everything is NaN."""
    # One real token, before any update, A = 1: the loss is 1 and its derivative by the log-prob 1,
    # but for the sign. What the old policy is said to have thought of the padding is no number.
    for rubbish in (float("nan"), float("inf"), float("-inf"), -1000.0):
        new = [[rng.choice([-1.0, -2.0]), -1.0]]
        old = [[new[0][0], rubbish]]
        answer = trainer.loss(new, old, new, [1.0], [[1, 0]], dtype="float32", beta=0.0)
        found = [abs(answer["loss"]), *(abs(slope) for slope in answer["new"][0])]
        # What the sum is divided by is another question: 1 token, or 2 with the padding.
        expect(
            any(close(found, [1 / n, 1 / n, 0.0]) for n in (1, 2)),
            called=f"grpo_loss of one token and one padding with old = {rubbish} on the padding: "
            "the loss and d loss / d new of both, in absolute value",
            returned=found,
            expected=[1.0, 1.0, 0.0],
            why="What is under the mask takes no part, neither in the value nor in the gradient.",
        )
