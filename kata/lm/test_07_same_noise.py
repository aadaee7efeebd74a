from kata.expect import expect


def test_same_noise(trainer, rng):
    """The policy gives the same answers at every step, and explores nothing."""
    settings = {"logits": [0.0] * 14, "steps": 3, "lr": 0.0, "epochs": 1}
    settings |= {"prompts_per_step": 2, "group_size": 3, "max_new_tokens": 6}
    seed = rng.randrange(1000)
    first, second, third = trainer.train(seed=seed, **settings)["completions"]
    expect(
        first != second and second != third and first != third,
        called="train for three steps with a policy that stays as it is: the first answer of each",
        returned=[first[0], second[0], third[0]],
        expected="three rollouts that differ",
        why="At a learning rate of 0 only chance is left, and it must go on from step to step.",
    )
    for other, wanted in ((seed, True), (seed + 1, False)):
        again = trainer.train(seed=other, **settings)["completions"]
        expect(
            (again[0] == first) is wanted,
            called=f"train twice, with {'one seed' if wanted else 'two seeds'}: the first rollouts",
            returned="the same" if again[0] == first else "different ones",
            expected="the same" if wanted else "different ones",
            why="The seed decides what is drawn, so that a run can be repeated.",
        )
