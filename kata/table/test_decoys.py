"""What was never wrong, and must not be "fixed"."""

import math

from kata.expect import close, expect, show
from kata.replay import draw_rollout, replay


def test_kl(trainer, rng):
    """The KL term is the k3 estimator of the distance to the reference, and it costs."""
    # A = 0 leaves the KL term, whatever the ratio: beta * (exp(d) - d - 1) with d = ref - new.
    new, old, beta = rng.choice([-1.5, -1.0]), -2.0, rng.choice([0.5, 2.0])
    for d in (0.8, -0.8):
        loss = trainer.grpo_loss([[new]], [[old]], [[new + d]], [0.0], [[1]], beta=beta)
        expect(
            close(loss, beta * (math.exp(d) - d - 1)),
            called=f"grpo_loss of one token with A = 0, old = {old}, new = {new}, ref - new = {d}, "
            f"beta = {beta}",
            returned=loss,
            expected=beta * (math.exp(d) - d - 1),
            why="The KL term was right: k3 with delta = ref - new, added to the loss.",
        )


def test_clip_fraction(trainer, rng):
    """The clip fraction is the share of real tokens whose ratio leaves the range, either way."""
    old = rng.choice([-2.0, -1.5])
    ratios = [[1.3, 0.7, 1.1, 9.0], [1.0, 0.85, 1.25, 1.15]]
    new = [[old + math.log(ratio) for ratio in line] for line in ratios]
    mask = [[1, 1, 1, 0], [1, 1, 1, 1]]
    # Real ratios outside 0.8 ... 1.2: 1.3, 0.7 and 1.25 of seven; outside 0.72 ... 1.28: two.
    for clip_eps, wanted in ((0.2, 3 / 7), (0.28, 2 / 7)):
        share = trainer.clip_fraction(new, [[old] * 4] * 2, mask, clip_eps=clip_eps)
        expect(
            close(share, wanted),
            called=f"clip_fraction of real ratios 1.3, 0.7, 1.1, 1, 0.85, 1.25, 1.15 at {clip_eps}",
            returned=share,
            expected=wanted,
            why="clip_fraction was right: the share of real tokens outside the range.",
        )


def test_token_logps(trainer, rng):
    """Every token gets its log-prob, the padding too, and large logits do not overflow."""
    # softmax of log(1), log(2), log(3), log(4), whatever is added to all four: 1/10 ... 4/10
    added = rng.choice([800.0, 1000.0, 2000.0])
    theta = [[added + math.log(k) for k in (1, 2, 3, 4)], [0.0] * 4]
    wanted = [[math.log(0.25)] * 3, [math.log(0.1), math.log(0.4), math.log(0.3)]]
    wanted.append([math.log(0.2)] * 3)
    for at in (theta[0], [-x for x in theta[1]]):
        total = sum(math.exp(logp) for logp in trainer.log_softmax(at))
        expect(
            close(total, 1.0),
            called=f"log_softmax({show(at)}): the sum of the probabilities",
            returned=total,
            expected=1.0,
            why="log_softmax was right, for logits of any size.",
        )
    logps = trainer.token_logps(theta, [1, 0, 0], [[1, 0, 0], [0, 3, 2], [1, 1, 1]])
    expect(
        close(logps, wanted),
        called="token_logps of prompts 1, 0, 0 with probabilities 0.1 ... 0.4 for prompt 0, 1/4 for 1",
        returned=logps,
        expected=wanted,
        why="token_logps was right: the padding has log-probs too, leaving them out is the mask's job.",
    )


def test_rollout(trainer, rng):
    """The draws, the mask and the reward of a rollout are the published ones."""
    theta, prompts, seed = (
        [[0.5, 0.0, -0.5, 1.0], [2.0, 0.0, 0.0, 0.0]],
        (0, 1),
        rng.randrange(1000),
    )
    drawn = trainer.rollout(theta, prompts, 3, 4, seed)
    wanted = draw_rollout(theta, prompts, 3, 4, type(rng)(seed))
    for name, got, right in zip(("rows", "tokens", "mask", "rewards"), drawn, wanted):
        expect(
            close(got, right),
            called=f"rollout of two prompts, three answers each, seed {seed}: {name}",
            returned=got,
            expected=right,
            why="The rollout was right: a length, then the tokens; the reward is the share of right "
            "tokens.",
        )


def test_train(trainer, rng):
    """A step descends the loss; the reference stays where the run began."""
    settings = dict(steps=3, prompts=(0, 1), group_size=16, max_len=6, epochs=1, lr=1.5, beta=1.0)
    seed = rng.randrange(1000)
    theta, history = trainer.train(**settings, seed=seed)
    wanted = replay(trainer, **settings, seed=seed)
    expect(
        close(theta, wanted, 1e-5),
        called="train for three steps of one epoch with beta = 1: the logits of prompt 1",
        returned=theta[1],
        expected=wanted[1],
        why="A step is one rollout and one descent of grpo_loss; the reference is the start of the "
        "run, copied.",
    )
    _, _, _, rewards = draw_rollout([[0.0] * 4] * 2, (0, 1), 16, 6, type(rng)(seed))
    expect(
        close(history[0]["reward"], sum(rewards) / len(rewards)),
        called="train: the reward of the first step",
        returned=history[0]["reward"],
        expected=sum(rewards) / len(rewards),
        why="The history holds the mean reward of each step's rollout.",
    )
