from kata.expect import close, expect


def test_old_gradient(trainer, rng):
    """The loss moves, the gradient of its policy part is 0."""
    # One token, A = 1, ratio r inside the clip range: but for the sign the loss is r, and so is its
    # derivative by the new log-prob. The old one is a record of what happened.
    old = rng.choice([-1.0, -2.0])
    for shift, ratio in ((0.0, 1.0), (0.0953101798, 1.1)):
        answer = trainer.loss([[old + shift]], [[old]], [[-1.5]], [1.0], [[1]], beta=0.0)
        expect(
            answer["old"] == [[0.0]],
            called=f"grpo_loss of one token with A = 1 and ratio {ratio}: d loss / d old",
            returned=answer["old"][0][0],
            expected=0.0,
            why="What can still be changed is the new policy. The old one has spoken.",
        )
        found = [abs(answer["loss"]), abs(answer["new"][0][0])]
        expect(
            close(found, [ratio, ratio]),
            called=f"grpo_loss of one token with A = 1, new - old = {shift:.4g}: the absolute values "
            "of the loss and of d loss / d new",
            returned=found,
            expected=[ratio, ratio],
            why="The ratio is measured against the old log-prob, and moves with the new one.",
        )
