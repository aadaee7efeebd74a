import math

from kata.expect import close, expect, finite


def test_zero_std(trainer, rng):
    """After a few steps everything is NaN."""
    reward = rng.choice([0.3, 0.1, 1.0])
    for rewards, group_size in (([reward] * 6, 3), ([0.3] * 8, 8), ([0.7] * 7, 7), ([0.7], 1)):
        advantages = trainer.group_advantages(rewards, group_size)
        expect(
            close(advantages, [0.0] * len(rewards)),
            called=f"group_advantages({rewards}, group_size={group_size})",
            returned=advantages,
            expected=[0.0] * len(rewards),
            why="These answers did as well as each other, which says nothing about any of them.",
        )

    # Two prompts of two answers, alike row for row and column for column: every pair is one std
    # above and below its mean, +1 and -1, or 0.71 with the sample std. However small the spread.
    for most in (1.0, 0.1):
        rewards, signs = [0.0, most, most, 0.0], [-1.0, 1.0, 1.0, -1.0]
        advantages = trainer.group_advantages(rewards, 2)
        expect(
            finite(advantages)
            and any(close(advantages, [u * s for s in signs], 1e-2) for u in (1.0, math.sqrt(0.5))),
            called=f"group_advantages({rewards}, group_size=2)",
            returned=advantages,
            expected=signs,
            why="Guarding the groups without a spread must leave those that have one as they were.",
        )

    # One prompt tied, the other not, either way round.
    for rewards in ([0.5, 0.5, 0.0, 1.0], [0.5, 0.0, 0.5, 1.0]):
        advantages = trainer.group_advantages(rewards, 2)
        expect(
            finite(advantages) and max(abs(a) for a in advantages) > 0.1,
            called=f"group_advantages({rewards}, group_size=2)",
            returned=advantages,
            expected="something other than 0 where the answers differ",
            why="A tied prompt teaches nothing; the others in the batch still do.",
        )
