"""Near misses of kl_sign, kl_direction, kl_over_padding and ref_alias."""

from near_misses_table import Miss

KL = "    kl = k3(new.where(mask, 0.0), ref.where(mask, 0.0))\n"
KL_LOSS = "    kl_loss = beta * kl.sum() / token_count\n"
K3 = "    return delta.expm1() - delta\n"
POLICY_LOSS = "    policy_loss = -surrogate.sum() / token_count\n"
REFERENCE = "    return copy.deepcopy(policy).requires_grad_(False)\n"
SCORED = """\
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (policy, reference))
"""
ROWS = "        rows = [repeat_for_group(tensor, group_size) for tensor in prompts]\n"

MISSES = [
    Miss("kl_sign", "beta_negated", KL_LOSS, "    kl_loss = -beta * kl.sum() / token_count\n"),
    Miss("kl_sign", "estimator_negated", K3, "    return delta - delta.expm1()\n"),
    Miss(
        "kl_sign",
        "new_detached",
        KL,
        "    kl = k3(new.detach().where(mask, 0.0), ref.where(mask, 0.0))\n",
    ),
    Miss(
        "kl_sign", "sum_detached", KL_LOSS, "    kl_loss = beta * kl.sum().item() / token_count\n"
    ),
    Miss("kl_sign", "left_out", KL_LOSS, "    kl_loss = 0.0 * kl.sum() / token_count\n"),
    Miss(
        "kl_sign",
        "taken_into_the_surrogate",
        POLICY_LOSS,
        "    policy_loss = -(surrogate + 2 * beta * kl).sum() / token_count\n",
    ),
    Miss("kl_direction", "only_the_exponent_turned", K3, "    return (-delta).expm1() - delta\n"),
    Miss("kl_direction", "only_the_linear_term_turned", K3, "    return delta.expm1() + delta\n"),
    Miss("kl_direction", "both_terms_turned", K3, "    return (-delta).expm1() + delta\n"),
    Miss(
        "kl_direction",
        "arguments_swapped",
        KL,
        "    kl = k3(ref.where(mask, 0.0), new.where(mask, 0.0))\n",
    ),
    Miss("kl_direction", "square", K3, "    return delta.square()\n"),
    Miss("kl_direction", "half_square", K3, "    return 0.5 * delta.square()\n"),
    Miss("kl_direction", "size", K3, "    return delta.abs()\n"),
    Miss("kl_direction", "minus_one_forgotten", K3, "    return delta.exp() - delta\n"),
    Miss("kl_direction", "linear_term_forgotten", K3, "    return delta.expm1()\n"),
    Miss(
        "kl_direction",
        "weighted_by_the_reference",
        K3,
        "    return delta.exp() * (delta.exp() - 1 - delta)\n",
    ),
    Miss(
        "kl_direction",
        "old_for_the_reference",
        KL,
        "    kl = k3(new.where(mask, 0.0), old.where(mask, 0.0))\n",
    ),
    Miss(
        "kl_over_padding", "reference_left_unmasked", KL, "    kl = k3(new.where(mask, 0.0), ref)\n"
    ),
    Miss("kl_over_padding", "new_left_unmasked", KL, "    kl = k3(new, ref.where(mask, 0.0))\n"),
    Miss(
        "kl_over_padding",
        "mask_inverted",
        KL,
        "    kl = k3(new.where(~mask, 0.0), ref.where(~mask, 0.0))\n",
    ),
    Miss(
        "kl_over_padding",
        "padding_of_ref_is_minus_one",
        KL,
        "    kl = k3(new.where(mask, 0.0), ref.where(mask, -1.0))\n",
    ),
    Miss(
        "kl_over_padding",
        "mask_of_the_first_row",
        KL,
        "    kl = k3(new.where(mask[:1], 0.0), ref.where(mask[:1], 0.0))\n",
    ),
    Miss("kl_over_padding", "plain_mean", KL_LOSS, "    kl_loss = beta * kl.mean()\n"),
    Miss("ref_alias", "shallow_copy", REFERENCE, "    return copy.copy(policy)\n"),
    Miss(
        "ref_alias",
        "weights_assigned",
        REFERENCE,
        """\
    reference = copy.deepcopy(policy).requires_grad_(False)
    for mine, theirs in zip(reference.parameters(), policy.parameters()):
        mine.data = theirs.data
    return reference
""",
    ),
    Miss(
        "ref_alias",
        "state_dict_not_copied",
        REFERENCE,
        """\
    reference = copy.deepcopy(policy)
    reference.load_state_dict(policy.state_dict(), assign=True)
    return reference
""",
    ),
    Miss(
        "ref_alias",
        "functional_call_of_live_weights",
        REFERENCE,
        """\
    state = policy.state_dict()
    return lambda *inputs: torch.func.functional_call(policy, state, inputs)
""",
    ),
    Miss(
        "ref_alias",
        "closure_under_no_grad",
        REFERENCE,
        """\
    @torch.no_grad()
    def reference(*inputs):
        return policy(*inputs)

    return reference
""",
    ),
    Miss(
        "ref_alias",
        "refreshed_every_step",
        ROWS,
        """\
        rows = [repeat_for_group(tensor, group_size) for tensor in prompts]
        reference = make_reference(policy)
""",
    ),
    Miss(
        "ref_alias",
        "policy_scored_twice",
        SCORED,
        """\
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (policy, policy))
""",
    ),
]
