from kata.expect import close, expect


def test_clip_after_step(trainer, rng):
    """Now and then a step throws the policy far away."""
    advantage = rng.choice([500.0, 1000.0])
    settings = {"logits": [0.0] * 8, "completions": [[3]], "lr": 0.1, "epochs": 1, "beta": 0.0}
    for parts in (1, 2):  # the weights as one tensor, and as two
        (answer,) = trainer.update(
            **settings, advantages=[[advantage]], max_grad_norm=0.5, parts=parts
        )
        expect(
            close(answer["moved"], 0.05, 1e-4),
            called=f"update with A = {advantage}, lr = 0.1, max_grad_norm = 0.5: how far all weights "
            "moved",
            returned=answer["moved"],
            expected="0.05  (lr * max_grad_norm)",
            why="However large the gradient, the step it makes is bounded.",
        )
    small, free = (
        trainer.update(**settings, advantages=[[0.1]], max_grad_norm=bound)[0]["logits"]
        for bound in (10.0, 1e9)
    )
    expect(
        close(small, free, 1e-9) and any(small),
        called="update with A = 0.1, whose gradient is far shorter than max_grad_norm = 10",
        returned=small,
        expected=free,
        why="A gradient within the bound is left as it is.",
    )
