from kata.expect import close, expect


def test_loss_sign(trainer, rng):
    """Reward and loss fall together."""
    # Nothing has moved: ratio 1, KL 0. Two answers of one token: the loss is minus the mean of
    # their advantages, its derivative by a token's log-prob minus half of that token's.
    p = [[rng.choice([-1.0, -2.0])], [-0.5]]
    better, worse = rng.choice([1.0, 2.0]), rng.choice([-0.5, -3.0])
    for advantages in ([better, better], [worse, worse], [better, worse]):
        answer = trainer.loss(p, p, p, advantages, [[1], [1]])
        found = [answer["loss"], answer["new"][0][0], answer["new"][1][0]]
        wanted = [-sum(advantages) / 2, -advantages[0] / 2, -advantages[1] / 2]
        expect(
            close(found, wanted),
            called=f"grpo_loss of two answers of one token with A = {advantages}, before any update: "
            "the loss, and d loss / d new of each",
            returned=found,
            expected=wanted,
            why="The loss is minimised: whatever makes the good answers likelier must lower it.",
        )

    for advantage in (better, worse):
        (answer,) = trainer.update(
            logits=[0.0] * 8, completions=[[5]], advantages=[[advantage]], epochs=1, beta=0.0
        )
        moved = answer["logits"][5]
        expect(
            moved * advantage > 1e-3,
            called=f"update on one answer, token 5 with A = {advantage}: its logit, which began at 0",
            returned=moved,
            expected="above 0" if advantage > 0 else "below 0",
            why="A good answer becomes likelier, a bad one rarer.",
        )
