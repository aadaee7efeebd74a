from kata.expect import close, expect, finite


def test_exp_overflow(trainer, rng):
    """One unlucky token, and the run is over."""
    # A token whose log-prob moved by 200, up or down: exp(200) is beyond float32.
    for new, old in ((-1.0, -201.0), (-201.0, -1.0)):
        for advantage in (rng.choice([0.5, 1.0]), -1.0):
            answer = trainer.loss(
                [[new]], [[old]], [[new]], [advantage], [[1]], dtype="float32", beta=0.0
            )
            found = [answer["loss"], answer["new"][0][0]]
            expect(
                finite(found),
                called=f"grpo_loss in float32 of one token with new = {new}, old = {old}, "
                f"A = {advantage}: the loss and d loss / d new",
                returned=found,
                expected="two finite numbers",
                why="A ratio may be out of all bounds; what is made of it must stay a number.",
            )

    # Inside the bounds nothing is bent: p_new / p_old = 1.1 makes a loss of 1.1, but for its sign.
    loss = trainer.loss([[-1.0 + 0.0953101798]], [[-1.0]], [[-1.0]], [1.0], [[1]], beta=0.0)["loss"]
    expect(
        close(abs(loss), 1.1),
        called="grpo_loss of one token with ratio 1.1, A = 1, beta = 0",
        returned=f"{abs(loss):.4g} in absolute value",
        expected="1.1",
        why="A bound on extreme ratios must leave the ordinary ones as they are.",
    )
