from kata.expect import close, expect


def test_zero_grad_in_loop(trainer, rng):
    """Most of a batch is never learned from."""
    # Two answers in two micro-batches; the second has A = 0 and no gradient of its own.
    completions = [[rng.choice([3, 4])], [5]]
    settings = {"logits": [0.0] * 8, "completions": completions, "epochs": 1, "beta": 0.0}
    whole, split = (
        trainer.update(**settings, advantages=[[1.0, 0.0], [0.0, 0.0]], micro_batch_size=size)
        for size in (2, 1)
    )
    expect(
        close(split[0]["logits"], whole[0]["logits"]) and any(split[0]["logits"]),
        called="update with A = 1 and 0, one row at a time: the logits, which began at 0",
        returned=split[0]["logits"],
        expected=whole[0]["logits"],
        why="A step follows the gradient of the whole rollout, in however many pieces it came.",
    )
    expect(
        close(split[1]["logits"], split[0]["logits"]),
        called="a second update, with A = 0 for both rows: the logits",
        returned=split[1]["logits"],
        expected=split[0]["logits"],
        why="Nothing is to be learned from it, and the gradient of the first is used up.",
    )
