import math

from kata.expect import close, expect, finite


def test_zero_std(trainer, rng):
    """A prompt that every answer solves, or none does, ends the run."""
    # All rewards equal: nobody did better than the others, and one answer alone is no better than
    # itself. 0.1 three times is nasty: its sum divided by 3 is not 0.1 in floating point.
    for rewards in ([rng.choice([0.25, 0.5, 1.0])] * 4, [0.1] * 3, [0.7]):
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

    # Where there is a spread, however small, the advantages have its unit: one success among four
    # has mean 1/4, deviations 3/4 and -1/4, variance 3/16, or 1/4 as a sample, so that its
    # advantage is sqrt(3) = 1.73, or 1.5. A reward of 0.1 instead of 1 changes nothing.
    lucky = rng.randrange(4)
    for most in (1.0, 0.1):
        rewards = [most if i == lucky else 0.0 for i in range(4)]
        deviations = [0.75 if i == lucky else -0.25 for i in range(4)]
        population, sample = ([x / std for x in deviations] for std in (math.sqrt(3) / 4, 0.5))
        advantages = trainer.group_advantages(rewards, 4)
        expect(
            close(advantages, population, 1e-2) or close(advantages, sample, 1e-2),
            called=f"group_advantages({rewards}, group_size=4)",
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
