from kata.expect import close, expect
from kata.replay import replay


def test_padding_mask(trainer, rng):
    """The same answers weigh differently when a longer one is in the batch."""
    new = [[-1.2, -0.4, -2.0], [-0.3, -1.1, -0.9]]
    old = [[-1.1, -0.5, -2.1], [-0.4, -1.3, -0.8]]
    ref = [[-1.5, -0.6, -1.9], [-0.2, -1.0, -1.4]]
    mask, advantages = [[1, 0, 0], [1, 1, 1]], [1.5, -0.5]
    loss = trainer.grpo_loss(new, old, ref, advantages, mask, beta=0.5)

    def padded(rows):
        """The same answers with something else on the padding, and two more columns of it."""
        rubbish = [[rng.uniform(-3.0, -0.1) for _ in range(5)] for _ in rows]
        return [
            [x if real else y for x, real, y in zip(row, line, noise)] + noise[3:]
            for row, line, noise in zip(rows, mask, rubbish)
        ]

    wider = [line + [0, 0] for line in mask]
    again = trainer.grpo_loss(padded(new), padded(old), padded(ref), advantages, wider, beta=0.5)
    expect(
        close(again, loss),
        called="grpo_loss of two answers (1 and 3 tokens) padded to width 3, then to width 5",
        returned=f"{loss:.4g}, then {again:.4g}",
        expected="the same number twice",
        why="Padding stands for nothing: neither what is on it nor how much there is may count.",
    )

    alone = [
        trainer.grpo_loss([[n]], [[o]], [[r]], [a], [[1]], beta=0.5)
        for *lines, a in zip(new, old, ref, mask, advantages)
        for n, o, r, real in zip(*lines)
        if real
    ]
    expect(
        close(loss, sum(alone) / 4),
        called="grpo_loss of the same two answers, and of each of their four tokens alone",
        returned=f"{loss:.4g}, and {[round(value, 4) for value in alone]}",
        expected=f"{sum(alone) / 4:.4g}, the mean of the four",
        why="The mean is over the real tokens of the batch.",
    )

    # Before any update a token's surrogate is its A. Lengths 1 and 3 with A = 3 and -2 make
    # (3 - 2 - 2 - 2) / 4 = -3/4; rows averaged first would make 1/2.
    same = trainer.grpo_loss(new, new, new, [3.0, -2.0], mask, beta=0.0)
    expect(
        close(abs(same), 0.75),
        called="grpo_loss with new = old = ref: 1 token with A = 3, 3 tokens with A = -2",
        returned=f"{abs(same):.4g} in absolute value",
        expected="0.75  ((3 - 2 - 2 - 2) / 4)",
        why="The mean is over the real tokens of the batch: every one of them weighs the same.",
    )

    # Prompt 0 asks for token 0, which is the padding's id as well: its right answers count too.
    settings = dict(steps=1, prompts=(0, 1), group_size=12, max_len=4, epochs=1, lr=2.0)
    seed = rng.randrange(1000)
    theta, _ = trainer.train(**settings, seed=seed)
    wanted, _ = replay(trainer, **settings, seed=seed)
    expect(
        close(theta[0], wanted[0], 1e-3),
        called="train for one step of one epoch: the logits of prompt 0",
        returned=theta[0],
        expected=wanted[0],
        why="One step is one descent of grpo_loss with the mask of the rollout, in which a sampled "
        "token is real whatever its id.",
    )
