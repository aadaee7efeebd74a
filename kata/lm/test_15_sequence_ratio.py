import math

from kata.expect import close, expect


def test_sequence_ratio(trainer, rng):
    """The longer an answer, the more often it is clipped."""
    # Two answers of three tokens, all ratios inside the clip range, A = 1: but for its sign the
    # derivative by a token's new log-prob is that token's ratio, over the six tokens.
    old = rng.choice([-1.0, -2.0])
    ratios = [rng.sample([1.1, 0.9, 1.05], k=3), [1.15, 1.0, 1.12]]
    new = [[old + math.log(ratio) for ratio in row] for row in ratios]
    full = [[1, 1, 1]] * 2
    answer = trainer.loss(new, [[old] * 3] * 2, [[-1.5] * 3] * 2, [1.0, 1.0], full, beta=0.0)
    found = [[abs(slope) for slope in row] for row in answer["new"]]
    wanted = [[ratio / 6 for ratio in row] for row in ratios]
    expect(
        close(found, wanted),
        called=f"grpo_loss of two answers with token ratios {ratios}, A = 1: abs(d loss / d new)",
        returned=found,
        expected=wanted,
        why="In GRPO every token has a ratio of its own.",
    )

    # One token of three outside 0.8 ... 1.2, though the mean of the three is inside.
    new = [[old + math.log(ratio) for ratio in (1.1, 0.9, 1.5)]]
    share = trainer.clip_fraction(new, [[old] * 3], [[1, 1, 1]])
    expect(
        close(share, 1 / 3),
        called="clip_fraction of one answer with token ratios 1.1, 0.9, 1.5",
        returned=share,
        expected=1 / 3,
        why="Tokens are clipped one by one.",
    )
