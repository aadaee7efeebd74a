from kata.expect import close, expect, finite


def test_log_of_softmax(trainer, rng):
    """Out of nowhere, late in a run, the loss is NaN."""
    low = rng.choice([-1000.0, -2000.0])
    policy = {"name": "constant", "logits": [0.0, low], "dtype": "float32"}
    (logps,) = trainer.token_logps(policy, [[0, 1, 0]], [[1, 1, 1]], 2)
    expect(
        close(logps, [[low, 0.0]]),
        called=f"token_logps of tokens 1 and 0 for logits 0 and {low}, in float32",
        returned=logps[0],
        expected=[low, 0.0],
        why="Very unlikely is not impossible: the log-prob is far below 0, and a number.",
    )

    high = {"name": "constant", "logits": [0.0, -low], "dtype": "float32"}
    (logps,) = trainer.token_logps(high, [[0, 0, 1]], [[1, 1, 1]], 2)
    expect(
        close(logps, [[low, 0.0]]),
        called=f"token_logps of tokens 0 and 1 for logits 0 and {-low}, in float32",
        returned=logps[0],
        expected=[low, 0.0],
        why="Logits may be large as well: only their differences matter.",
    )

    # Logits that grow with the position, to 5e4: none of them is the largest everywhere.
    policy = {"name": "positions", "scale": 1e4}
    (logps,) = trainer.token_logps(policy, [[1, 5, 19, 6, 19, 7]], [[1] * 6], 5)
    expect(
        finite(logps[0]),
        called="token_logps of five tokens for logits up to 0, 1e4, ... at each position",
        returned=logps[0],
        expected="five finite numbers",
        why="Every position has a scale of its own.",
    )
