"""Near misses of frozen_old, in train."""

from .miss import Miss

LOSS = """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
"""

OLD = """\
        old_logps = token_logps(theta, rows, tokens)
"""

OLD_AND_EPOCHS = """\
        old_logps = token_logps(theta, rows, tokens)
        for _ in range(epochs):
"""

EPOCHS = """\
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
"""

EPOCH = """\
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
"""

OLD_TO_DESCENT = """\
        old_logps = token_logps(theta, rows, tokens)
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
"""

CLIP_FRAC = """\
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
"""

DESCENT = """\
            descend(theta, numeric_grad(loss, theta), lr)
"""

MISSES = [
    Miss(
        "frozen_old",
        "frozen_for_the_whole_run",
        OLD,
        """\
        old_logps = token_logps([[0.0] * VOCAB for _ in prompts], rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "taken_from_the_reference",
        OLD,
        """\
        old_logps = ref_logps
""",
    ),
    Miss(
        "frozen_old",
        "alias_of_theta",
        OLD_AND_EPOCHS,
        """\
        old_theta = theta
        for _ in range(epochs):
            old_logps = token_logps(old_theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "shallow_copy_of_theta",
        OLD_AND_EPOCHS,
        """\
        old_theta = list(theta)
        for _ in range(epochs):
            old_logps = token_logps(old_theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "first_row_copied_only",
        OLD_AND_EPOCHS,
        """\
        old_theta = [list(theta[0]), *theta[1:]]
        for _ in range(epochs):
            old_logps = token_logps(old_theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_from_the_second_epoch_on",
        EPOCHS,
        """\
        for epoch in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            if epoch > 0:
                old_logps = new_logps
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_after_each_descent",
        DESCENT,
        """\
            descend(theta, numeric_grad(loss, theta), lr)
            old_logps = token_logps(theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_before_each_descent",
        DESCENT,
        """\
            old_logps = token_logps(theta, rows, tokens)
            descend(theta, numeric_grad(loss, theta), lr)
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_every_second_epoch",
        EPOCHS,
        """\
        for epoch in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            if epoch % 2 == 0:
                old_logps = new_logps
""",
    ),
    Miss(
        "frozen_old",
        "one_epoch_behind",
        EPOCH,
        """\
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
            old_logps = new_logps
""",
    ),
    Miss(
        "frozen_old",
        "loss_only",
        CLIP_FRAC,
        """\
            clip_frac = max(clip_frac, clip_fraction(new_logps, new_logps, mask))
""",
    ),
    Miss(
        "frozen_old",
        "new_for_old_in_the_loss",
        LOSS,
        """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, new_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "old_computed_in_the_loss",
        LOSS,
        """\
            new_logps = token_logps(theta, rows, tokens)
            old_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "reference_for_old_in_the_loss",
        LOSS,
        """\
            new_logps = token_logps(theta, rows, tokens)
            return grpo_loss(new_logps, ref_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "clip_fraction_to_the_reference",
        CLIP_FRAC,
        """\
            clip_frac = max(clip_frac, clip_fraction(new_logps, ref_logps, mask))
""",
    ),
    Miss(
        "frozen_old",
        "one_update_per_rollout",
        OLD_AND_EPOCHS,
        """\
        old_logps = token_logps(theta, rows, tokens)
        for _ in range(min(epochs, 1)):
""",
    ),
    Miss(
        "frozen_old",
        "metric_only",
        OLD_TO_DESCENT,
        """\
        frozen = token_logps(theta, rows, tokens)
        for _ in range(epochs):
            old_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(old_logps, frozen, mask))
            descend(theta, numeric_grad(loss, theta), lr)
""",
    ),
    Miss(
        "frozen_old",
        "frozen_after_the_first_descent",
        OLD_TO_DESCENT,
        """\
        old_logps = token_logps(theta, rows, tokens)
        for epoch in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask))
            descend(theta, numeric_grad(loss, theta), lr)
            if epoch == 0:
                old_logps = token_logps(theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "frozen_for_two_rollouts",
        OLD,
        """\
        if len(history) % 2 == 0:
            old_theta = [list(logits) for logits in theta]
        old_logps = token_logps(old_theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "policy_of_the_previous_rollout",
        OLD,
        """\
        old_logps = token_logps(old_theta if history else theta, rows, tokens)
        old_theta = [list(logits) for logits in theta]
""",
    ),
    Miss(
        "frozen_old",
        "frozen_in_the_first_rollout_only",
        OLD,
        """\
        if not history:
            old_theta = [list(logits) for logits in theta]
        old_logps = token_logps(old_theta, rows, tokens)
""",
    ),
]
