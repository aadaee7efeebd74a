import math

from kata.expect import close, expect


def test_pessimism(trainer, rng):
    """Clipping makes the objective look better than it is."""
    # Answers of one token, no KL term. The objective is minus the loss, or the loss where a higher
    # one is what a good token gets. An endless clip range with A = 1 gives the ratio itself.
    old = math.log(rng.choice([0.1, 0.12, 0.15]))

    def objective(news, advantages, clip_eps):
        n = len(news)
        answer = trainer.loss(
            *([[new] for new in news], [[old]] * n, [[-0.7]] * n, advantages, [[1]] * n),
            clip_eps=clip_eps,
            beta=0.0,
        )
        return -answer["loss"]

    turn = 1.0 if objective([old], [1.0], 1e9) > 0 else -1.0

    def bounded(new, advantage, clip_eps):
        ratio = turn * objective([new], [1.0], 1e9)
        return min(ratio * advantage, min(max(ratio, 1 - clip_eps), 1 + clip_eps) * advantage)

    moves = (-0.9, -0.5, -0.05, 0.05, 0.5, 1.8)
    for clip_eps in (0.2, 0.3):
        for advantage in (2.0, -0.5):
            for move in moves:
                wanted = bounded(old + move, advantage, clip_eps)
                found = turn * objective([old + move], [advantage], clip_eps)
                expect(
                    close(found, wanted),
                    called=f"the objective of one token, new - old = {move}, A = {advantage}, "
                    f"clip_eps = {clip_eps}",
                    returned=found,
                    expected=wanted,
                    why="Beyond the range the objective promises no more gain, and it hides no loss: "
                    "it is a bound from below on what the policy would be worth unclipped.",
                )
    news = [old + move for move in moves]
    advantages = [2.0, -0.5, 1.0, -1.0, 0.5, -2.0]
    wanted = sum(bounded(new, a, 0.2) for new, a in zip(news, advantages)) / len(news)
    found = turn * objective(news, advantages, 0.2)
    expect(
        close(found, wanted),
        called=f"the objective of six tokens, new - old = {moves}, A = {advantages}",
        returned=found,
        expected=wanted,
        why="The bound is taken token by token, before anything is averaged.",
    )

    # Two tokens of one answer. (Where a row has one ratio for all, its bound is another one.)
    news = [old + 1.8, old - 0.9]
    apart = (bounded(news[0], 1.0, 0.2) + bounded(news[1], 1.0, 0.2)) / 2
    as_one = bounded(old + 0.9, 1.0, 0.2)
    answer = trainer.loss([news], [[old] * 2], [[-0.7] * 2], [1.0], [[1, 1]], beta=0.0)
    found = -turn * answer["loss"]
    expect(
        close(found, apart) or close(found, as_one),
        called="the objective of one answer of two tokens, new - old = 1.8 and -0.9, A = 1",
        returned=found,
        expected=apart,
        why="The bound is taken token by token, before a row is averaged.",
    )
