from kata.expect import close, expect

PAD, EOS = 0, 2


def test_eos_in_mask(trainer, rng):
    """Answers grow longer and longer, for stopping is never learned."""
    said = rng.sample(range(4, 14), 2)
    # No padding id among the sampled tokens, so that only the end matters. What follows the first
    # EOS does not count, whatever it is.
    completions = [[said[0], EOS, PAD, PAD], [EOS, PAD, PAD, PAD], [*said, 5, 6], [5, EOS, 7, EOS]]
    wanted = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]]
    mask = trainer.completion_mask(completions)
    expect(
        close(mask, wanted),
        called=f"completion_mask({completions}) with EOS = 2",
        returned=mask,
        expected=wanted,
        why="Ending the answer is something the policy chose to do, and is rewarded for.",
    )

    # A policy that says nothing but EOS.
    policy = {"name": "constant", "logits": [0.0, 0.0, 60.0] + [0.0] * 11}
    (rollout,) = trainer.sample(policy, [[1, 5], [1, 6]], 3)
    counted = [sum(row) for row in rollout["mask"]]
    expect(
        counted == [1, 1],
        called="sample from a policy that says nothing but EOS: how many tokens of each row count",
        returned=counted,
        expected=[1, 1],
        why="That one token is all the policy did.",
    )
