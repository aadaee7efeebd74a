import math

from kata.expect import close, expect


def test_group_baseline(trainer, rng):
    """How far an answer is pushed depends on the other prompts that happen to be in the batch."""
    # Four prompts, three answers each. The others' rewards are the first's, stretched and raised:
    # the same order at the same distances, so the same advantages.
    #   rewards 0.5, 1.5, 5.5: mean 2.5, deviations -2, -1, 3, variance 14/3, or 14/2 as a sample.
    first = rng.sample([0.5, 1.5, 5.5], k=3)
    stretch, raised = rng.choice([2.0, 3.0]), rng.choice([10.0, 20.0])
    rewards = list(first)
    for factor, more in ((stretch, raised), (1.0, -2.0), (0.5, 5.0)):
        rewards += [factor * reward + more for reward in first]
    population, sample = (
        [(reward - 2.5) / math.sqrt(14.0 / divisor) for reward in first] * 4 for divisor in (3, 2)
    )

    advantages = trainer.group_advantages(rewards, 3)

    expect(
        close(advantages, population, 1e-3) or close(advantages, sample, 1e-3),
        called=f"group_advantages({rewards}, group_size=3)",
        returned=advantages,
        expected=population,
        why="Every prompt is graded on a scale of its own, but the answers to each rank and spread "
        "exactly like the first's. An advantage compares the answers to one prompt.",
    )
