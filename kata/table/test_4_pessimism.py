import math

from kata.expect import close, expect


def test_pessimism(trainer, rng):
    """Clipping makes the objective look better than it is."""
    # One token, no KL term. The objective is minus the loss, or the loss where a higher one is
    # what a good token gets. With an endless clip range and A = 1 it is the ratio itself, from
    # which the clipped values follow.
    old = math.log(rng.choice([0.1, 0.12, 0.15]))

    def objective(new, advantage, clip_eps):
        value = trainer.grpo_loss(
            [[new]], [[old]], [[-0.7]], [advantage], [[1]], clip_eps=clip_eps, beta=0.0
        )
        return -value

    turn = 1.0 if objective(old, 1.0, 1e9) > 0 else -1.0
    for clip_eps in (0.2, 0.3):
        for advantage in (2.0, -0.5):
            for move in (-0.9, -0.5, -0.05, 0.05, 0.5, 1.8):
                ratio = turn * objective(old + move, 1.0, 1e9)
                whole = ratio * advantage
                inside = min(max(ratio, 1 - clip_eps), 1 + clip_eps) * advantage
                clipped = turn * objective(old + move, advantage, clip_eps)
                expect(
                    close(clipped, min(whole, inside)),
                    called=f"the objective of one token with ratio {ratio:.4g} and A = {advantage}"
                    f", clip_eps = {clip_eps}",
                    returned=f"{clipped:.4g}",
                    expected=f"{min(whole, inside):.4g}  (ratio * A = {whole:.4g}, with the ratio "
                    f"kept in the range: {inside:.4g})",
                    why="Beyond the range the objective promises no more gain, and it hides no loss: "
                    "it is a bound from below on what the policy would be worth unclipped.",
                )
