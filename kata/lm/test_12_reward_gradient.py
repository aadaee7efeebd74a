from kata.expect import expect


def test_reward_gradient(trainer, rng):
    """The reward model changes while the policy is trained."""
    # The reward is a differentiable model of three weights. Answers of different lengths, so that
    # not everything cancels in the advantages.
    trained = trainer.train(
        logits=[0.0] * 14,
        steps=1,
        seed=rng.randrange(1000),
        epochs=1,
        prompts_per_step=3,
        group_size=5,
        max_new_tokens=6,
    )
    gradient = trained["reward_gradient"]
    expect(
        all(slope == 0 for slope in gradient),
        called="train for one step, with a reward model that has weights: their gradient",
        returned=gradient,
        expected="0, or none at all",
        why="A reward is what the policy is judged by. The loss must not be able to bend it.",
    )
