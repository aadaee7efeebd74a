from kata.expect import close, expect


def test_left_pad_positions(trainer, rng):
    """A prompt means something else when a longer one is in the batch."""
    mask = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 0, 0]]
    positions = trainer.position_ids(mask)
    real = [positions[0][2:], positions[1], positions[2][1:3]]
    expect(
        close(real, [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]) and min(positions[0]) >= 0,
        called=f"position_ids({mask}), on the real tokens",
        returned=real,
        expected=[[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]],
        why="A row's tokens are counted from its first real one, wherever that stands.",
    )

    # A policy that goes by the positions alone scores one row, alone and padded by two.
    row = [1, *rng.sample(range(4, 14), 2)]
    policy = {"name": "positions"}
    (alone,) = trainer.token_logps(policy, [row], [[1, 1, 1]], 1)
    (padded,) = trainer.token_logps(policy, [[0, 0, *row]], [[0, 0, 1, 1, 1]], 1)
    expect(
        close(padded, alone),
        called=f"token_logps of {row}, alone and with two padding tokens on its left",
        returned=f"{alone[0][0]:.4g} and {padded[0][0]:.4g}",
        expected="the same number twice",
        why="What else is in the batch must not change what the policy thinks of a row.",
    )
