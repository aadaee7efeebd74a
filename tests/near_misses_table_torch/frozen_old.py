"""Near misses of frozen_old, in train; and what cuts or keeps the graph there."""

from near_misses_table import Miss

OLD = """\
        old_logps = token_logps(theta, rows, tokens).detach()
"""

NEW = """\
            new_logps = token_logps(theta, rows, tokens)
"""

METRIC = """\
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
"""

LOSS = """\
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
"""

UPDATE = """\
            theta = (theta - lr * grad).detach().requires_grad_()
"""

LOOP = """\
        old_logps = token_logps(theta, rows, tokens).detach()
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            (grad,) = torch.autograd.grad(loss, theta)
            theta = (theta - lr * grad).detach().requires_grad_()
"""

RATIO = """\
    ratio = torch.exp(new - old)
"""

SPREAD = """\
    advantage = advantages.unsqueeze(1).expand(mask.shape)[real]
"""

MISSES = [
    # In the first epoch new - old has no gradient: what one side gives the other takes.
    Miss(
        "frozen_old",
        "old_kept_in_the_graph",
        OLD,
        """\
        old_logps = token_logps(theta, rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "alias_of_theta_updated_in_place",
        LOOP,
        """\
        old_theta = theta.detach()  # shares its storage
        for _ in range(epochs):
            old_logps = token_logps(old_theta, rows, tokens)
            new_logps = token_logps(theta, rows, tokens)
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            (grad,) = torch.autograd.grad(loss, theta)
            theta.data -= lr * grad
""",
    ),
    Miss(
        "frozen_old",
        "old_is_a_view_of_a_buffer",
        LOOP,
        """\
        buffer = token_logps(theta, rows, tokens).detach()
        old_logps = buffer.view(buffer.shape)
        for _ in range(epochs):
            new_logps = token_logps(theta, rows, tokens)
            buffer.copy_(new_logps.detach())
            clip_frac = max(clip_frac, clip_fraction(new_logps, old_logps, mask).item())
            loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
            (grad,) = torch.autograd.grad(loss, theta)
            theta = (theta - lr * grad).detach().requires_grad_()
""",
    ),
    Miss(
        "frozen_old",
        "detached_new_for_old_every_epoch",
        NEW,
        """\
            new_logps = token_logps(theta, rows, tokens)
            old_logps = new_logps.detach()
""",
    ),
    Miss(
        "frozen_old",
        "new_for_old_in_the_loss",
        LOSS,
        """\
            loss = grpo_loss(new_logps, new_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "detached_new_for_old_in_the_loss",
        LOSS,
        """\
            old = new_logps.detach()
            loss = grpo_loss(new_logps, old, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "detached_new_for_old_in_the_metric",
        METRIC,
        """\
            now = clip_fraction(new_logps, new_logps.detach(), mask).item()
            clip_frac = max(clip_frac, now)
""",
    ),
    Miss(
        "frozen_old",
        "refreshed_after_each_update",
        UPDATE,
        """\
            theta = (theta - lr * grad).detach().requires_grad_()
            old_logps = token_logps(theta, rows, tokens).detach()
""",
    ),
    Miss(
        "frozen_old",
        "one_epoch_behind",
        UPDATE,
        """\
            theta = (theta - lr * grad).detach().requires_grad_()
            old_logps = new_logps.detach()
""",
    ),
    Miss(
        "frozen_old",
        "reference_for_old",
        OLD,
        """\
        old_logps = ref_logps
""",
    ),
    Miss(
        "frozen_old",
        "old_of_the_start",
        OLD,
        """\
        old_logps = token_logps(torch.zeros_like(theta), rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "new_detached",
        NEW,
        """\
            new_logps = token_logps(theta, rows, tokens).detach()
""",
    ),
    Miss(
        "frozen_old",
        "theta_detached",
        NEW,
        """\
            new_logps = token_logps(theta.detach(), rows, tokens)
""",
    ),
    Miss(
        "frozen_old",
        "no_grad_around_the_loss",
        LOSS,
        """\
            with torch.no_grad():
                loss = grpo_loss(new_logps, old_logps, ref_logps, advantages, mask, **loss_kwargs)
""",
    ),
    Miss(
        "frozen_old",
        "new_in_inference_mode",
        NEW,
        """\
            with torch.inference_mode():
                new_logps = token_logps(theta, rows, tokens)
""",
    ),
    # The caller's advantages are (N, 1) in the next epoch.
    Miss(
        "frozen_old",
        "advantages_unsqueezed_in_place",
        SPREAD,
        """\
    advantage = advantages.unsqueeze_(1).expand(mask.shape)[real]
""",
    ),
    # The values are right; only the penalty is left in the gradient, and it is 0 at the start.
    Miss(
        "frozen_old",
        "ratio_detached",
        RATIO,
        """\
    ratio = torch.exp(new - old).detach()
""",
    ),
    Miss(
        "frozen_old",
        "log_ratio_of_detached_new",
        RATIO,
        """\
    ratio = torch.exp(new.detach() - old)
""",
    ),
]
