from kata.expect import close, expect


def test_logits_shift(trainer, rng):
    """The loss is that of a policy nobody has: it learns, but badly."""
    # A policy that is all but certain (1 - 2e-25) of the successor of the last token.
    start = rng.randrange(4, 10)
    row = list(range(start, start + 6))
    for width in (5, 2):
        (logps,) = trainer.token_logps({"name": "successor"}, [row], [[1] * 6], width)
        expect(
            close(logps, [[0.0] * width]),
            called=f"token_logps of the last {width} of {row} for a policy that counts upwards",
            returned=logps[0],
            expected=[0.0] * width,
            why="Every token here is the one that the policy was certain would come next.",
        )
