from kata.expect import close, expect


def test_kl_over_padding(trainer, rng):
    """The KL depends on how long the longest answer of the batch is."""
    # A = 0, so that only the KL term is left. The second token is padding.
    losses = [
        trainer.loss([[-1.0, new]], [[-1.0, -1.0]], [[-1.8, ref]], [0.0], [[1, 0]], beta=1.0)[
            "loss"
        ]
        for new, ref in (
            (-1.0, -1.0),
            (-1.0, rng.uniform(-4.0, -2.0)),
            (-0.2, -2.5),
            (-1.0, float("nan")),
        )
    ]
    expect(
        close(losses, [losses[0]] * 4),
        called="the KL term of one token and one padding, with four things on the padding",
        returned=losses,
        expected="the same number four times",
        why="Nobody said anything there: there is no distance to a reference.",
    )

    # One real token, alone and with padding, where new = ref. Whatever the loss is divided by, the
    # KL term and the policy part (A = 1, ratio 1) must be divided by the same.
    shares = []
    for extra in (0, 2):
        mask = [[1] + [0] * extra]
        new, ref = [[-1.0] * (1 + extra)], [[-1.8] + [-1.0] * extra]
        kl = trainer.loss(new, new, ref, [0.0], mask, beta=1.0)["loss"]
        policy = trainer.loss(new, new, new, [1.0], mask, beta=0.0)["loss"]
        shares.append(abs(kl / policy) if policy else float("nan"))
    expect(
        close(shares[1], shares[0]),
        called="the KL term over the policy part of one token, alone and with two paddings",
        returned=shares,
        expected="the same number twice",
        why="Both are means over the same real tokens.",
    )

    # Two answers of different length: each with its own padding.
    new, ref = [[-1.0, -1.0]] * 2, [[-1.8, -1.3], [-1.8, -9.0]]
    whole, half = (
        trainer.loss(new, new, ref, [0.0, 0.0], mask, beta=1.0)["new"]
        for mask in ([[1, 1], [1, 0]], [[1, 0], [1, 0]])
    )
    silent = [whole[1][1], half[0][1], half[1][1]]
    expect(
        close(silent, [0.0] * 3) and abs(whole[0][1]) > 1e-3,
        called="the KL term of two answers of 2 and 1 tokens, then of 1 and 1: its derivative by the "
        "log-probs on the padding",
        returned=silent,
        expected=[0.0] * 3,
        why="Each row is masked by its own mask.",
    )
