from kata.expect import close, expect, show
from kata.replay import replay


def test_frozen_old(trainer, rng):
    """However large the steps, the clip fraction is exactly 0."""
    # Groups of 16 answers of up to 6 tokens, so that no group is tied.
    sizes = dict(prompts=(0, 1), group_size=16, max_len=6)
    seed = rng.randrange(1000)

    _, history = trainer.train(steps=1, epochs=2, lr=20.0, seed=seed, **sizes)
    expect(
        history[0]["clip_frac"] > 0,
        called="train for one step of two epochs at a learning rate of 20",
        returned=f"clip_frac = {show(history[0]['clip_frac'])}",
        expected="above 0",
        why="The first epoch moved the policy far from the one that sampled the answers, so in the "
        "second epoch many ratios are outside the clip range.",
    )

    _, history = trainer.train(steps=2, epochs=1, lr=6.0, seed=seed, **sizes)
    fractions = [entry["clip_frac"] for entry in history]
    expect(
        close(fractions, [0.0, 0.0]),
        called="train for two steps of one epoch each: clip_frac of both",
        returned=fractions,
        expected=[0.0, 0.0],
        why="At the start of a step the policy is the one that has just sampled the rollout: every "
        "ratio is 1.",
    )

    # So wide a range that nothing is clipped: at its edges gradients by differences are rough.
    inside = {"steps": 2, "epochs": 3, "lr": 1.0, "clip_eps": 0.9, "seed": seed, **sizes}
    theta, _ = trainer.train(**inside)
    wanted, _ = replay(trainer, **inside)
    expect(
        close(theta, wanted, 1e-3),
        called="train for two steps of three epochs: the logits of prompt 0",
        returned=theta[0],
        expected=wanted[0],
        why="All epochs of a step compare with the policy that sampled its rollout.",
    )
