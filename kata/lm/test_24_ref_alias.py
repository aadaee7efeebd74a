from kata.expect import close, expect


def test_ref_alias(trainer, rng):
    """The KL is exactly 0, whatever the policy does."""
    logits = [0.0, 1.0, rng.choice([2.0, 3.0]), -1.0]
    moved = [x + 0.5 for x in logits]
    answer = trainer.reference(logits, moved)
    expect(
        close(answer["reference"], logits),
        called=f"make_reference(policy), then the policy moves from {logits} to {moved}: what the "
        "reference says",
        returned=answer["reference"],
        expected=logits,
        why="The reference is where the policy began. It stays there.",
    )
    expect(
        answer["trainable"],
        called="make_reference(policy): can the policy still be trained?",
        returned="its weights take no gradient any more",
        expected="its weights take a gradient, as before",
        why="The reference is frozen. The policy is not.",
    )

    # Two steps of a run: the second is measured against where the first one began.
    history = trainer.train(
        logits=[0.0] * 14,
        steps=2,
        seed=rng.randrange(1000),
        lr=0.05,
        epochs=1,
        prompts_per_step=3,
        group_size=6,
        max_new_tokens=6,
    )["history"]
    expect(
        history[1]["kl"] > 1e-6,
        called="train for two steps of one epoch: the metric kl of the second",
        returned=history[1]["kl"],
        expected="above 0",
        why="The policy has moved once by then, and the reference has not.",
    )
