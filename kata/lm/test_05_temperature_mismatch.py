from kata.expect import close, expect
from kata.replay import log_softmax


def test_temperature_mismatch(trainer, rng):
    """The policy that is trained is not the one that was sampled."""
    logits = [0.0, 1.0, rng.choice([2.0, 2.5]), -1.0]
    policy = {"name": "constant", "logits": logits}
    for temperature in (0.5, 2.0):
        wanted = log_softmax([x / temperature for x in logits])
        (logps,) = trainer.token_logps(policy, [[3, 0, 1, 2]], [[1] * 4], 3, temperature)
        expect(
            close(logps[0], wanted[:3]),
            called=f"token_logps of tokens 0, 1, 2 for logits {logits} at temperature {temperature}",
            returned=logps[0],
            expected=wanted[:3],
            why="A token's log-prob is that of the distribution it was drawn from.",
        )

    # Logits 0 and 10 at temperature 10: the first is drawn 1 time in 1 + e = 3.72. Of 400 draws
    # that is 107.6 with a standard deviation of 8.9; at temperature 1 it would be none.
    policy = {"name": "constant", "logits": [-900.0, -900.0, -900.0, 0.0, 10.0]}
    (rollout,) = trainer.sample(policy, [[1, 4]] * 400, 1, 10.0, seed=rng.randrange(1000))
    drawn = sum(row[0] == 3 for row in rollout["completions"])
    expect(
        60 <= drawn <= 155,
        called="sample at temperature 10: 400 tokens from logits 0 and 10",
        returned=f"the first token {drawn} times",
        expected="about 108 times  (400 / (1 + e))",
        why="The logits are divided by the temperature before they are turned into probabilities.",
    )

    # A run at temperature 2 and a learning rate of 0: whoever scores, scores the same.
    (metrics,) = trainer.train(
        logits=[0.1 * k for k in range(14)],
        steps=1,
        seed=rng.randrange(1000),
        temperature=2.0,
        lr=0.0,
        epochs=1,
        prompts_per_step=2,
        group_size=4,
        max_new_tokens=4,
    )["history"]
    found = [metrics["ratio"], metrics["sampler_gap"]]
    expect(
        close(found, [1.0, 0.0], 1e-5),
        called="train for one step at temperature 2 and lr = 0: the metrics ratio and sampler_gap",
        returned=found,
        expected=[1.0, 0.0],
        why="Sampling, old and new log-probs are all of one distribution.",
    )
