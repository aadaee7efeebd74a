from kata.expect import close, expect


def test_padded_mean(trainer, rng):
    """The size of the updates depends on the longest answer of the batch."""
    # Nothing has moved, A = 1: but for its sign the loss is 1, with any amount of padding.
    logp = rng.choice([-1.0, -2.0])
    for extra in (0, 1, 4):
        p, mask = [[logp] * (2 + extra)], [[1, 1] + [0] * extra]
        loss = trainer.loss(p, p, p, [1.0], mask, beta=0.0)["loss"]
        expect(
            close(abs(loss), 1.0),
            called=f"grpo_loss of two real tokens and {extra} of padding, A = 1, before any update",
            returned=f"{abs(loss):.4g} in absolute value",
            expected="1",
            why="The mean is over the real tokens, and padding is none.",
        )

    # Answers of 1 and 3 tokens whose KL terms are a and b per token: the mean over the four real
    # tokens is (a + 3b) / 4, not the mean of the two answers. Where new = ref it is 0.
    a, b = (
        trainer.loss([[-1.0]], [[-1.0]], [[-1.0 + d]], [0.0], [[1]], beta=1.0)["loss"]
        for d in (0.5, -1.0)
    )
    new, ref = [[-1.0] * 3] * 2, [[-0.5, -1.0, -1.0], [-2.0, -2.0, -2.0]]
    both = trainer.loss(new, new, ref, [0.0, 0.0], [[1, 0, 0], [1, 1, 1]], beta=1.0)["loss"]
    expect(
        close(both, (a + 3 * b) / 4),
        called=f"grpo_loss of 1 token with a KL of {a:.4g} and 3 tokens with one of {b:.4g}, A = 0",
        returned=both,
        expected=f"{(a + 3 * b) / 4:.4g}, the mean of the four",
        why="In a token mean every real token of the batch weighs the same.",
    )

    # Before any update a token's surrogate is its A. One token with A = 3 and two with A = -1 make
    # (3 - 2) / 3 = 1/3, but for the sign; the mean of the two rows would be 1. (5/3 is what comes
    # out where advantages are laid along the tokens: another question.)
    p, mask = [[logp, logp]] * 2, [[1, 0], [1, 1]]
    loss = abs(trainer.loss(p, p, p, [3.0, -1.0], mask, beta=0.0)["loss"])
    expect(
        close(loss, 1 / 3) or close(loss, 5 / 3),
        called="grpo_loss of 1 token with A = 3 and 2 tokens with A = -1, before any update",
        returned=f"{loss:.4g} in absolute value",
        expected=f"{1 / 3:.4g}, the mean of the three",
        why="In a token mean every real token of the batch weighs the same.",
    )

    # An update on one answer of one token, and on the same with two columns of padding behind it.
    short, padded = (
        trainer.update(
            **{"logits": [0.0] * 8, "epochs": 1, "beta": 0.0, "lengths": [1]},
            completions=[[3] + [0] * extra],
            advantages=[[1.0]],
        )[0]["logits"]
        for extra in (0, 2)
    )
    expect(
        close(padded, short) and any(short),
        called="update on one answer of one token, padded to width 3: the logits, which began at 0",
        returned=padded,
        expected=short,
        why="Padding must not change the size of the step.",
    )
