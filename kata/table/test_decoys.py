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
    # With a ratio of 1.2 and an advantage as well: what beta adds to the loss is the same.
    for advantage in (2.0, -1.0):
        moved = [[new]], [[new - math.log(1.2)]], [[new + 0.8]], [advantage], [[1]]
        added = trainer.grpo_loss(*moved, beta=beta) - trainer.grpo_loss(*moved, beta=0.0)
        expect(
            close(added, beta * (math.exp(0.8) - 0.8 - 1)),
            called=f"grpo_loss of one token with A = {advantage}, ref - new = 0.8: what beta = {beta} "
            "adds to it",
            returned=added,
            expected=beta * (math.exp(0.8) - 0.8 - 1),
            why="The KL term was right: it knows nothing of ratio and advantage.",
        )


def test_batch(trainer, rng):
    """The loss of a batch without padding is the mean of its tokens' losses."""
    new = [[-1.2, -0.4, rng.choice([-2.0, -2.5])], [-0.3, -1.1, -0.9]]
    old = [[-1.1, -0.5, -1.6], [-0.9, -1.0, -0.8]]
    ref = [[-1.5, -0.2, -1.9], [-0.2, -1.4, -1.4]]
    advantages, mask = [1.5, -0.5], [[1, 1, 1]] * 2
    alone = [
        trainer.grpo_loss([[n]], [[o]], [[r]], [a], [[1]], beta=0.5)
        for *lines, a in zip(new, old, ref, advantages)
        for n, o, r in zip(*lines)
    ]
    loss = trainer.grpo_loss(new, old, ref, advantages, mask, beta=0.5)
    expect(
        close(loss, sum(alone) / 6),
        called="grpo_loss of two answers of three tokens, and of each of the six tokens alone",
        returned=f"{loss:.4g}, and {[round(value, 4) for value in alone]}",
        expected=f"{sum(alone) / 6:.4g}, the mean of the six",
        why="The mean was right: over tokens, after everything else.",
    )
    published = trainer.grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04)
    default = trainer.grpo_loss(new, old, ref, advantages, mask)
    expect(
        close(default, published),
        called="grpo_loss with its defaults, and with clip_eps = 0.2 and beta = 0.04",
        returned=[default, published],
        expected="the same number twice",
        why="The defaults were right.",
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
    for at in (theta[0], [0.0] * 4):
        total = sum(math.exp(logp) for logp in trainer.log_softmax(at))
        expect(
            close(total, 1.0),
            called=f"log_softmax({show(at)}): the sum of the probabilities",
            returned=total,
            expected=1.0,
            why="log_softmax was right, for logits of any size.",
        )
    logps = trainer.log_softmax([0.0, -added, -added, -added])
    expect(
        close(logps, [0.0, -added, -added, -added]),
        called=f"log_softmax([0, -{added}, -{added}, -{added}])",
        returned=logps,
        expected=[0.0, -added, -added, -added],
        why="log_softmax was right: what is all but impossible has a log-prob, far below 0.",
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
    settings = {"prompts": (0, 1), "group_size": 16, "max_len": 6, "seed": rng.randrange(1000)}
    once = {"steps": 3, "epochs": 1, "lr": 1.5, "beta": 1.0}
    theta, history = trainer.train(**settings, **once)
    wanted, _ = replay(trainer, **settings, **once)
    # The gradient of a softmax sums to 0 over its logits, so that their mean stays where it was.
    drift = max(abs(sum(logits) / 4) for logits in theta)
    expect(
        close(theta, wanted, 1e-3) and drift < 5e-5,
        called="train for three steps of one epoch with beta = 1: the logits of prompt 1",
        returned=theta[1],
        expected=wanted[1],
        why="A step is one rollout and one descent of grpo_loss; the reference is the start of the "
        "run, copied.",
    )
    _, _, _, rewards = draw_rollout([[0.0] * 4] * 2, (0, 1), 16, 6, type(rng)(settings["seed"]))
    expect(
        close(history[0]["reward"], sum(rewards) / len(rewards)),
        called="train: the reward of the first step",
        returned=history[0]["reward"],
        expected=sum(rewards) / len(rewards),
        why="The history holds the mean reward of each step's rollout.",
    )


def test_reported_clip_fraction(trainer, rng):
    """The clip fraction of a step is the largest of its epochs."""
    settings = {"prompts": (0,), "group_size": 16, "max_len": 3, "steps": 1, "epochs": 6}
    checked = 0
    for seed in rng.sample(range(1000), 60):
        lr = (1.5, 4.0)[checked % 2]
        wanted = replay(trainer, **settings, lr=lr, seed=seed)[1]
        # A ratio on the edge of the range is in or out by rounding: such runs say nothing.
        if min(abs(abs(r - 1) - 0.2) for r in wanted["ratios"]) < 1e-3:
            continue
        _, history = trainer.train(**settings, lr=lr, seed=seed)
        found, fractions = history[0]["clip_frac"], wanted["clip_fractions"]
        # Where the old log-probs are not frozen it is 0 in all epochs, which is another bug's.
        expect(
            close(found, max(fractions), 1e-3) or found == 0,
            called=f"train for one step of six epochs, seed {seed}: clip_frac, where those of the "
            f"epochs are {show(fractions)}",
            returned=found,
            expected=max(fractions),
            why="The history holds the largest clip fraction that was seen.",
        )
        checked += 1
        if checked == 4:
            break
