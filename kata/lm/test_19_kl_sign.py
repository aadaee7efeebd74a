from kata.expect import close, expect


def test_kl_sign(trainer, rng):
    """The policy drifts away from the reference, the faster the larger beta is."""
    # A = 0: only the KL term is left. Descending it must lead back to the reference.
    distance = rng.choice([0.8, 1.2])
    for new in (-1.5 + distance, -1.5 - distance):
        one, two = (
            trainer.loss([[new]], [[new]], [[-1.5]], [0.0], [[1]], beta=beta) for beta in (0.5, 1.0)
        )
        slope = two["new"][0][0]
        expect(
            slope * (new + 1.5) > 0.1,
            called=f"grpo_loss of one token with A = 0, ref = -1.5, new = {new:.3g}, beta = 1: "
            "d loss / d new",
            returned=slope,
            expected="above 0" if new > -1.5 else "below 0",
            why="A token that has become likelier than under the reference is pulled back, and one "
            "that has become rarer is pulled up.",
        )
        found = [one["loss"], two["loss"]]
        expect(
            found[0] > 0.01 and close(found[1], 2 * found[0]),
            called="grpo_loss of the same token with beta = 0.5 and 1",
            returned=found,
            expected="above 0, and twice as much the second time",
            why="Distance to the reference costs, in proportion to beta.",
        )
