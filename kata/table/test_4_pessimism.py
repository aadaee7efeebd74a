import math

from kata.expect import close, expect


def test_pessimism(trainer, rng):
    """Clipping makes the objective look better than it is."""
    # One token, no KL term. `objective` is -loss, turned so that more of a good token is more. An
    # endless clip range gives ratio * A itself, from which the clipped value follows.
    old = math.log(rng.choice([0.2, 0.25, 0.3]))

    def loss(new, advantage, clip_eps):
        return trainer.grpo_loss(
            [[new]], [[old]], [[new]], [advantage], [[1]], clip_eps=clip_eps, beta=0.0
        )

    upwards = -1.0 if loss(old, 1.0, 1e9) < 0 else 1.0
    for advantage in (2.0, -0.5):
        for move in (-0.7, -0.4, -0.05, 0.05, 0.4, 0.65):
            whole = upwards * loss(old + move, advantage, 1e9)
            ratio = whole / advantage
            inside = min(max(ratio, 0.8), 1.2) * advantage
            clipped = upwards * loss(old + move, advantage, 0.2)
            expect(
                close(clipped, min(whole, inside)),
                called=f"the objective of one token with ratio {ratio:.4g} and A = {advantage}, "
                "clip_eps = 0.2",
                returned=f"{clipped:.4g}",
                expected=f"{min(whole, inside):.4g}  "
                f"(ratio * A = {whole:.4g}, with the ratio kept in 0.8 ... 1.2: {inside:.4g})",
                why="Beyond the range the objective promises no more gain, and hides no loss: it is "
                "a bound from below on what the policy would be worth unclipped.",
            )
