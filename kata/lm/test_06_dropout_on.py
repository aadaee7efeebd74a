from kata.expect import close, expect


def test_dropout_on(trainer, rng):
    """Ratios differ from 1 before anything was updated."""
    policy = {"name": "tiny", "seed": rng.randrange(1000)}
    tokens = [[1, 5, 6, 3, 6, 5, 2]]
    first, second = trainer.token_logps(policy, tokens, [[1] * 7], 3, times=2)
    expect(
        first == second,
        called="token_logps of one row, twice, with the same weights",
        returned=f"{first[0][0]:.6g}, then {second[0][0]:.6g} for its first token",
        expected="the same number twice, to the last bit",
        why="Old and new log-probs are compared: what differs must be the weights, not the dice.",
    )

    one, other = trainer.sample(policy, [[1, 5, 6, 3]] * 4, 6, times=2)
    expect(
        one["completions"] == other["completions"] and close(one["old_logps"], other["old_logps"]),
        called="sample, twice, with the same weights and a generator of the same seed",
        returned=f"{one['completions'][0]}, then {other['completions'][0]} in the first row",
        expected="the same answers twice",
        why="The generator is all the chance there is in sampling; the policy itself has none.",
    )
