import math

from kata.expect import close, expect, finite


def test_zero_std(trainer, rng):
    """A prompt that every answer solves, or none does, ends the run."""
    # All rewards equal: nobody did better than the others, and one answer alone is no better than
    # itself. 0.1 and 0.9 three times are nasty: in floating point their mean is not quite them.
    for rewards in ([rng.choice([0.25, 0.5, 1.0])] * 4, [0.1] * 3, [0.9] * 3, [0.7]):
        try:
            advantages = trainer.group_advantages(rewards, len(rewards))
        except ArithmeticError as error:
            advantages = f"{type(error).__name__}: {error}"
        expect(
            not isinstance(advantages, str) and close(advantages, [0.0] * len(rewards)),
            called=f"group_advantages({rewards}, group_size={len(rewards)})",
            returned=advantages,
            expected=[0.0] * len(rewards),
            why="The answers to this prompt did equally well, which says nothing about any of them.",
        )

    # Where there is a spread, however small, the advantages have its unit: one success among eight
    # has mean 1/8, deviations 7/8 and -1/8, variance 7/64, or 1/8 as a sample, so that its
    # advantage is sqrt(7) = 2.65, or 2.47. A reward of 0.1 instead of 1 changes nothing.
    lucky = rng.randrange(8)
    for most in (1.0, 0.1):
        rewards = [most if i == lucky else 0.0 for i in range(8)]
        deviations = [7 / 8 if i == lucky else -1 / 8 for i in range(8)]
        population, sample = ([x / math.sqrt(v) for x in deviations] for v in (7 / 64, 1 / 8))
        advantages = trainer.group_advantages(rewards, 8)
        expect(
            close(advantages, population, 1e-2) or close(advantages, sample, 1e-2),
            called=f"group_advantages({rewards}, group_size=8)",
            returned=advantages,
            expected=population,
            why="Guarding the group without a spread must leave those that have one as they were.",
        )

    rewards = [0.5, 0.5, 0.5, 0.0, 0.25, 1.0]
    advantages = trainer.group_advantages(rewards, 3)
    expect(
        finite(advantages) and any(abs(a) > 0.1 for a in advantages[3:]),
        called=f"group_advantages({rewards}, group_size=3)",
        returned=advantages,
        expected="something other than 0 for the last three",
        why="The first prompt is tied and teaches nothing; the second one still does.",
    )
