"""What was never wrong, and must not be "fixed"."""

import math

from kata.expect import close, expect, finite

PAD, EOS = 0, 2


def test_pad_left(trainer, rng):
    """Prompts end where completions begin."""
    a, b, c = rng.sample(range(4, 14), 3)
    padded = trainer.pad_left([[1, a], [1, b, c, 3]])
    wanted = {
        "tokens": [[PAD, PAD, 1, a], [1, b, c, 3]],
        "attention_mask": [[0, 0, 1, 1], [1, 1, 1, 1]],
    }
    for name, rows in wanted.items():
        expect(
            close(padded[name], rows),
            called=f"pad_left({[[1, a], [1, b, c, 3]]}): {name}",
            returned=padded[name],
            expected=rows,
            why="pad_left was right: prompts are padded on the left.",
        )


def test_sample(trainer, rng):
    """Rows end at EOS or when the budget is spent, and are padded behind their end."""
    word = rng.randrange(4, 14)
    for token, ended, width in ((EOS, 1, 1), (word, 0, 3)):
        logits = [60.0 if v == token else 0.0 for v in range(14)]
        (rollout,) = trainer.sample({"name": "constant", "logits": logits}, [[1, 5], [1, 6]], 3)
        found = [[row[:width] for row in rollout["completions"]], rollout["ended"]]
        wanted = [[[token] * width] * 2, [ended] * 2]
        expect(
            close(found, wanted),
            called=f"sample from a policy that says nothing but {token} (EOS = 2): the completions, "
            "and whether they ended",
            returned=found,
            expected=wanted,
            why="sample was right about where an answer ends.",
        )
    logits = [0.0, 0.0, 1.5, 0.0, 0.0, 0.0]
    (rollout,) = trainer.sample(
        {"name": "constant", "logits": logits}, [[1, 5]] * 20, 6, 2.0, seed=rng.randrange(1000)
    )
    total = math.log(5 + math.exp(0.75))
    for row, logps in zip(rollout["completions"], rollout["old_logps"]):
        length = row.index(EOS) + 1 if EOS in row else 6
        wanted = [(0.75 if token == EOS else 0.0) - total for token in row[:length]]
        expect(
            close(logps[:length], wanted, 1e-5) and len(row) >= length and not any(row[length:]),
            called=f"sample at temperature 2 from logits {logits}: {row}, and its old_logps",
            returned=logps[:length],
            expected=f"{[round(x, 4) for x in wanted]}, and padding behind the end",
            why="sample was right: a row goes on until its own end, and its log-probs are those of "
            "the distribution it was drawn from.",
        )
    (rollout,) = trainer.sample({"name": "successor"}, [[1, word], [1, word, word + 1]], 3)
    wanted = [[word + k for k in (1, 2, 3)], [word + k for k in (2, 3, 4)]]
    expect(
        close(rollout["completions"], wanted),
        called=f"sample after {[1, word]} and {[1, word, word + 1]} from a policy that counts upwards",
        returned=rollout["completions"],
        expected=wanted,
        why="sample was right: what comes next follows from the last token.",
    )


def test_clip_fraction(trainer, rng):
    """The clip fraction is the share of tokens whose ratio leaves the range, either way."""
    old, ratios = rng.choice([-2.0, -3.0]), [1.3, 0.7, 1.1, 1.0]
    new = [[old + math.log(ratio)] for ratio in ratios]
    for clip_eps, wanted in ((0.2, 0.5), (0.05, 0.75)):
        share = trainer.clip_fraction(new, [[old]] * 4, [[1]] * 4, clip_eps)
        expect(
            close(share, wanted),
            called=f"clip_fraction of ratios {ratios} with clip_eps = {clip_eps}",
            returned=share,
            expected=wanted,
            why="clip_fraction was right: both sides of the range count, whatever the advantage.",
        )


def test_kl_bound(trainer, rng):
    """The KL term of a token that is all but impossible is a number."""
    for new, ref in ((-201.0, -1.0), (-1.0, -201.0)):
        answer = trainer.loss([[new]], [[new]], [[ref]], [0.0], [[1]], dtype="float32", beta=1.0)
        found = [answer["loss"], answer["new"][0][0], answer["ref"][0][0]]
        expect(
            finite(found) and found[2] == 0,
            called=f"grpo_loss in float32 with A = 0, new = old = {new}, ref = {ref}: the loss, and its "
            "derivatives by new and ref",
            returned=found,
            expected="finite numbers, the last one 0",
            why="The KL term was right about its bound, and about who carries the gradient.",
        )


def test_empty_batch(trainer, rng):
    """A batch without a real token has a loss of 0 and no gradient."""
    p = [[rng.choice([-1.0, -2.0]), -1.0]]
    answer = trainer.loss(p, p, p, [1.0], [[0, 0]])
    found = [answer["loss"], *answer["new"][0]]
    expect(
        close(found, [0.0, 0.0, 0.0]),
        called="grpo_loss of two paddings and nothing else: the loss and d loss / d new",
        returned=found,
        expected=[0.0, 0.0, 0.0],
        why="Nothing was sampled: there is nothing to learn, and nothing to divide by.",
    )


def test_skipped_update(trainer, rng):
    """An update whose gradient is not finite is skipped and counted."""
    start = [0.0, 0.5, rng.choice([0.1, 0.2]), 0.0]
    (answer,) = trainer.update(
        logits=start, completions=[[3]], advantages=[[float("nan")]], epochs=1, beta=0.0
    )
    expect(
        close(answer["logits"], start) and answer["metrics"]["skipped"] == 1,
        called="update with an advantage of nan: the logits, and the metric `skipped`",
        returned=[answer["logits"], answer["metrics"]["skipped"]],
        expected=[start, 1],
        why="update was right: it does not follow a gradient that is not finite, and says so.",
    )


def test_metrics(trainer, rng):
    """The metrics that do not depend on the mask are what they say."""
    trained = trainer.train(
        logits=[0.0] * 14,
        steps=1,
        seed=rng.randrange(1000),
        lr=0.0,
        epochs=1,
        prompts_per_step=3,
        group_size=4,
        max_new_tokens=5,
    )
    (rows,), (metrics,) = trained["completions"], trained["history"]
    rewards = [len(row) + 0.5 * row.count(3) + 0.25 * sum(row) / len(row) for row in rows]
    wanted = {
        "reward": sum(rewards) / len(rewards),
        "eos_share": sum(EOS in row for row in rows) / len(rows),
        "tied_share": sum(len(set(rewards[k : k + 4])) == 1 for k in (0, 4, 8)) / 3,
        "entropy": math.log(14),
    }
    for name, value in wanted.items():
        expect(
            close(metrics[name], value, 1e-5),
            called=f"train for one step with a uniform policy of 14 tokens: the metric {name}",
            returned=metrics[name],
            expected=value,
            why="The metric was right.",
        )
    expect(
        all(x == 0.0 for x in trained["logits"]),
        called="train at a learning rate of 0: the logits, which began at 0",
        returned=trained["logits"],
        expected=[0.0] * 14,
        why="Nothing moves at a learning rate of 0.",
    )


def test_optimizer(trainer, rng):
    """The optimiser remembers from step to step."""
    settings = {"logits": [0.0] * 14, "seed": rng.randrange(1000), "lr": 0.05, "epochs": 1}
    settings |= {"prompts_per_step": 3, "group_size": 6, "max_new_tokens": 6}
    # The second step rewards what the first one punished. A first step of Adam moves every weight
    # by lr, whatever its gradient; one that remembers the opposite moves them less.
    one, two = (
        trainer.train(steps=steps, turns=[1.0, -1.0], **settings)["logits"] for steps in (1, 2)
    )
    second = [abs(b - a) for a, b in zip(one, two)]
    expect(
        any(abs(x) > 1e-3 for x in one) and not all(abs(moved - 0.05) < 2e-3 for moved in second),
        called="train for two steps with lr = 0.05: how far the second one moved each weight",
        returned=second,
        expected="anything but 0.05 everywhere",
        why="train was right: one optimiser for the whole run.",
    )
