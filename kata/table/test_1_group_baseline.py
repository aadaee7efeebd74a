import math

from kata.expect import close, expect


def test_group_baseline(trainer, rng):
    """How far an answer is pushed depends on the other prompts that happen to be in the batch."""
    # Two prompts, three answers each. The second prompt's rewards are the first's, stretched and
    # raised: the same order at the same distances, so the same advantages.
    #   rewards 0.5, 1.5, 5.5: mean 2.5, deviations -2, -1, 3, variance 14/3, or 14/2 as a sample.
    first = rng.sample([0.5, 1.5, 5.5], k=3)
    stretch, raised = rng.choice([2.0, 3.0]), rng.choice([10.0, 20.0])
    rewards = first + [stretch * reward + raised for reward in first]
    population, sample = (
        [(reward - 2.5) / math.sqrt(14.0 / divisor) for reward in first] * 2 for divisor in (3, 2)
    )
    advantages = trainer.group_advantages(rewards, 3)
    expect(
        close(advantages, population, 1e-3) or close(advantages, sample, 1e-3),
        called=f"group_advantages({rewards}, group_size=3)",
        returned=advantages,
        expected=population,
        why="The second prompt is graded on another scale, but its answers rank and spread exactly "
        "like the first's. An advantage compares the answers to one prompt.",
    )

    # Three prompts, two answers each: in every pair one is a std above the mean and one below, so
    # that the advantages are +1 and -1, or 0.71 with the sample std.
    rewards, signs = [0.0, 1.0, 15.0, 3.0, 2.0, 8.0], [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0]
    advantages = trainer.group_advantages(rewards, 2)
    expect(
        any(close(advantages, [u * s for s in signs], 1e-3) for u in (1.0, math.sqrt(0.5))),
        called=f"group_advantages({rewards}, group_size=2)",
        returned=advantages,
        expected=signs,
        why="In each pair one answer is better than the other.",
    )
