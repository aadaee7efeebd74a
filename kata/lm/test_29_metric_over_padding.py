import math

from kata.expect import close, expect


def test_metric_over_padding(trainer, rng):
    """The clip fraction falls when a longer answer is in the batch."""
    # Answers of 1 and 3 tokens. The first one's token has a ratio of 2, all others one of 1.
    logp = rng.choice([-2.0, -3.0])
    for extra in (0, 3):
        width = 3 + extra
        old = [[logp] * width] * 2
        new = [[logp + math.log(2.0)] + [logp] * (width - 1), [logp] * width]
        mask = [[1] + [0] * (width - 1), [1, 1, 1] + [0] * extra]
        share = trainer.clip_fraction(new, old, mask)
        expect(
            close(share, 0.25),
            called=f"clip_fraction of 4 real tokens, one with a ratio of 2, padded to width {width}",
            returned=share,
            expected=0.25,
            why="It is a share of the real tokens, and there are four.",
        )
