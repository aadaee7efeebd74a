import math

from kata.expect import close, expect
from kata.replay import log_softmax


def descend(trainer, logits, old, completions, advantages, lr):
    """One descent of the trainer's own loss, by the chain rule through the softmax."""
    logps = log_softmax(logits)
    new = [[logps[token] for token in row] for row in completions]
    answer = trainer.loss(new, old, old, advantages, [[1]] * len(new), beta=0.0)
    grad = [0.0] * len(logits)
    for row, slopes in zip(completions, answer["new"]):
        for v in range(len(logits)):
            grad[v] += slopes[0] * ((row[0] == v) - math.exp(logps[v]))
    return [x - lr * slope for x, slope in zip(logits, grad)]


def test_frozen_old(trainer, rng):
    """The clip fraction is exactly 0, and the ratio exactly 1, in every epoch."""
    start, completions = [0.0, 0.2, -0.1, 0.3, 0.0], [[3], [rng.choice([1, 4])]]
    advantages = [1.0, -0.5]
    settings = {"logits": start, "completions": completions, "beta": 0.0}

    (far,) = trainer.update(**settings, advantages=[advantages], lr=5.0, epochs=2)
    expect(
        far["metrics"]["clip_frac"] > 0,
        called="update of two epochs at a learning rate of 5: clip_frac",
        returned=far["metrics"]["clip_frac"],
        expected="above 0",
        why="The first epoch moved the policy far from the one that sampled; the second sees it.",
    )
    for answer in trainer.update(**settings, advantages=[advantages] * 2, lr=5.0, epochs=1):
        expect(
            answer["metrics"]["clip_frac"] == 0,
            called="update of one epoch, twice, each with a fresh rollout: clip_frac",
            returned=answer["metrics"]["clip_frac"],
            expected=0.0,
            why="In the first epoch the policy is the one that has just sampled: every ratio is 1.",
        )

    (near,) = trainer.update(**settings, advantages=[advantages], lr=0.3, epochs=3)
    logps = log_softmax(start)
    old, wanted = [[logps[token] for token in row] for row in completions], start
    for _ in range(3):
        wanted = descend(trainer, wanted, old, completions, advantages, 0.3)
    expect(
        close(near["logits"], wanted),
        called="update of three epochs at a learning rate of 0.3: the logits afterwards",
        returned=near["logits"],
        expected=wanted,
        why="All epochs compare with the policy that sampled the rollout.",
    )
