from kata.expect import close, expect

PAD, EOS = 0, 2


def test_mask_from_ids(trainer, rng):
    """Some of the tokens that the policy said are never trained."""
    # The policy may say token 0, which is the padding's id as well. EOS itself is left out of the
    # comparison: it is another question.
    a, b = rng.sample(range(4, 14), 2)
    completions = [[a, PAD, b, EOS], [PAD, PAD, a, b]]
    mask = trainer.completion_mask(completions)
    said = [mask[0][:3], mask[1]]
    expect(
        close(said, [[1, 1, 1], [1, 1, 1, 1]]),
        called=f"completion_mask({completions}) with PAD = 0, in front of the EOS",
        returned=said,
        expected=[[1, 1, 1], [1, 1, 1, 1]],
        why="Padding is what follows the end. A token is not padding because it looks like it.",
    )

    # A policy that says nothing but token 0.
    policy = {"name": "constant", "logits": [50.0] + [0.0] * 13}
    (rollout,) = trainer.sample(policy, [[1, 5], [1, 6]], 3)
    expect(
        close(rollout["mask"], [[1, 1, 1], [1, 1, 1]]),
        called="sample: the mask of a policy that says nothing but token 0, three tokens long",
        returned=rollout["mask"],
        expected=[[1, 1, 1], [1, 1, 1]],
        why="These tokens were sampled, every one of them.",
    )
