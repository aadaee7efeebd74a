import math

from kata.expect import close, expect


def test_kl_direction(trainer, rng):
    """The reported KL explodes where the policy is sure of itself."""
    # Three tokens under the policy and under the reference. k3 of a token is exp(d) - d - 1 with
    # d = ref - new; weighed by the policy the three make KL(policy || reference) exactly.
    policy, reference = [0.5, 0.3, 0.2], rng.choice([[0.1, 0.3, 0.6], [0.2, 0.1, 0.7]])
    values = []
    for p, q in zip(policy, reference):
        new, ref = math.log(p), math.log(q)
        values.append(abs(trainer.loss([[new]], [[new]], [[ref]], [0.0], [[1]], beta=1.0)["loss"]))
    wanted = [q / p - math.log(q / p) - 1 for p, q in zip(policy, reference)]
    kl = sum(p * math.log(p / q) for p, q in zip(policy, reference))
    expect(
        close(values, wanted),
        called=f"the KL term of three tokens, policy {policy}, reference {reference}",
        returned=values,
        expected=wanted,
        why=f"Averaged under the policy they must make KL(policy || reference) = {kl:.4g}: the "
        "tokens were sampled from the policy.",
    )
