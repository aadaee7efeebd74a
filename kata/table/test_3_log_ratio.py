import math

from kata.expect import close, expect


def test_log_ratio(trainer, rng):
    """The policy that made a token a little likelier is told that it made it less likely."""
    # One token, inside the clip range and without a KL term: the loss is ratio * A, but for its
    # sign. The ratio is that of the two probabilities, p_new / p_old; the reference has no say.
    p_old, advantage = rng.choice([0.2, 0.3, 0.4, 0.5]), rng.choice([0.5, 1.0, 2.0])
    for ratio in (1.1, 0.9):
        p_new = ratio * p_old
        new, old = [[math.log(p_new)]], [[math.log(p_old)]]
        loss = trainer.grpo_loss(new, old, [[-0.7]], [advantage], [[1]], beta=0.0)
        expect(
            close(abs(loss), ratio * advantage),
            called=f"grpo_loss for one token: p_new = {p_new:.3g}, p_old = {p_old}, A = {advantage}, "
            "beta = 0",
            returned=f"{abs(loss):.4g} in absolute value",
            expected=f"{ratio * advantage:.4g}",
            why=f"The token is now {ratio} times as likely as when it was sampled: that is the ratio.",
        )

    # Two tokens of one answer with ratios 1.1 and 1.16: each by itself, their mean is 1.13.
    new = [[math.log(1.1 * p_old), math.log(1.16 * p_old)]]
    old = [[math.log(p_old)] * 2]
    loss = trainer.grpo_loss(new, old, [[-0.7, -0.7]], [1.0], [[1, 1]], beta=0.0)
    expect(
        close(abs(loss), 1.13),
        called="grpo_loss for two tokens of one answer, ratios 1.1 and 1.16, A = 1, beta = 0",
        returned=f"{abs(loss):.4g} in absolute value",
        expected="1.13, the mean of the two",
        why="GRPO has one ratio per token.",
    )
