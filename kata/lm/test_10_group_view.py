import math

from kata.expect import close, expect


def test_group_view(trainer, rng):
    """Answers are compared with the answers to other prompts."""
    # Three prompts, two answers each. A constant on top of one prompt's rewards says that it is
    # easier, not that one of its answers is better. No group is tied.
    rewards = [0.0, 1.0, 3.0, 1.0, 5.0, 2.0]
    bonus = rng.choice([7.0, 20.0])
    plain = trainer.group_advantages(rewards, 2)
    easier = trainer.group_advantages(
        [reward + bonus * (i < 2) for i, reward in enumerate(rewards)], 2
    )
    expect(
        close(easier, plain, 1e-4),
        called=f"group_advantages({rewards}, group_size=2), then with {bonus} more for the first two",
        returned=f"{[round(a, 3) for a in plain]}, then {[round(a, 3) for a in easier]}",
        expected="the same advantages twice",
        why="The first two rows are one prompt's, and are compared with each other only.",
    )
    # Two answers are one above and one below their mean: +1 and -1, or 0.71 with the sample std.
    signs = [-1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
    expect(
        any(close(plain, [unit * sign for sign in signs], 1e-3) for unit in (1.0, math.sqrt(0.5))),
        called=f"group_advantages({rewards}, group_size=2)",
        returned=plain,
        expected=signs,
        why="In each pair one answer is better than the other, by one std.",
    )
