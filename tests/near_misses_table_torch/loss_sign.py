"""Near misses of loss_sign, in grpo_loss."""

from near_misses_table import Miss

LOSS = """\
    loss = beta * kl - surrogate
"""

RETURN = """\
    return loss.sum() / max(len(loss), 1)
"""

SURROGATE = """\
    surrogate = torch.minimum(ratio * advantage, clipped * advantage)
"""

MISSES = [
    Miss(
        "loss_sign",
        "kl_flipped_along",
        LOSS,
        """\
    loss = -surrogate - beta * kl
""",
    ),
    Miss(
        "loss_sign",
        "negated_in_the_mean_again",
        RETURN,
        """\
    return loss.neg().sum() / max(len(loss), 1)
""",
    ),
    Miss(
        "loss_sign",
        "size_of_the_loss",
        RETURN,
        """\
    return loss.abs().sum() / max(len(loss), 1)
""",
    ),
    Miss(
        "loss_sign",
        "relu_of_the_loss",
        LOSS,
        """\
    loss = torch.relu(beta * kl - surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "negative_surrogates_only",
        LOSS,
        """\
    loss = beta * kl - surrogate.clamp(max=0)
""",
    ),
    Miss(
        "loss_sign",
        "squared_surrogate",
        LOSS,
        """\
    loss = beta * kl + surrogate.square()
""",
    ),
    Miss(
        "loss_sign",
        "beta_on_both",
        LOSS,
        """\
    loss = beta * (kl - surrogate)
""",
    ),
    Miss(
        "loss_sign",
        "only_one_term_negated",
        SURROGATE,
        """\
    surrogate = torch.minimum(-ratio * advantage, clipped * advantage)
""",
    ),
    Miss(
        "loss_sign",
        "rsub_turned_round",
        LOSS,
        """\
    loss = torch.sub(surrogate, kl, alpha=beta)
""",
    ),
    Miss(
        "loss_sign",
        "size_of_the_surrogate",
        LOSS,
        """\
    loss = beta * kl - surrogate.abs()
""",
    ),
]
