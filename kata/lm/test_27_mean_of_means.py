from kata.expect import close, expect


def test_mean_of_means(trainer, rng):
    """The same batch teaches something else when it is split differently."""
    # Four answers of one token, of which only the last has an advantage, whole and as 3 + 1.
    completions = [[3], [4], [5], [rng.choice([6, 7])]]
    settings = {"logits": [0.0] * 8, "completions": completions, "epochs": 1, "beta": 0.0}
    (whole,), (split,) = (
        trainer.update(**settings, advantages=[[0.0, 0.0, 0.0, 1.0]], micro_batch_size=size)
        for size in (4, 3)
    )
    expect(
        close(split["logits"], whole["logits"]) and any(split["logits"]),
        called="update on four answers, split into 3 and 1: the logits, which began at 0",
        returned=split["logits"],
        expected=f"{[round(x, 4) for x in whole['logits']]}, as for all four at once",
        why="Every token of the rollout weighs the same, whichever piece it came in.",
    )

    # Answers of 3, 3, 3 and 1 tokens that are not pushed at all; only the last one has left the
    # reference, so that its KL is all there is, whole and as 3 + 1.
    ragged = {
        "logits": [0.0] * 8,
        "completions": [[3, 4, 5], [4, 5, 6], [5, 6, 7], [6, 0, 0]],
        "lengths": [3, 3, 3, 1],
        "ref_shifts": [0.0, 0.0, 0.0, rng.choice([0.5, 0.8])],
        "advantages": [[0.0] * 4],
    }
    (whole,), (split,) = (
        trainer.update(**ragged, epochs=1, beta=1.0, micro_batch_size=size) for size in (4, 3)
    )
    expect(
        close(split["logits"], whole["logits"]) and any(split["logits"]),
        called="update on answers of 3, 3, 3 and 1 tokens, split into 3 and 1: the logits",
        returned=split["logits"],
        expected=f"{[round(x, 4) for x in whole['logits']]}, as for all four at once",
        why="A short answer does not weigh more for being alone in its piece.",
    )
