"""The mask is made of 0 and 1, as many libraries have it."""
# ruff: noqa: F821


def completion_mask(completions):
    before = F.pad((completions == EOS).long().cumsum(dim=1)[:, :-1], (1, 0))
    return (before == 0).long()


def masked_mean(values, mask):
    mask = mask.bool()
    return (values.where(mask, 0.0).sum() / mask.sum().clamp(min=1)).item()


def rollout_metrics(rollout, rewards, group_size, scored):
    grouped = rewards.detach().view(-1, group_size)
    gap = (scored - rollout.old_logps).abs() * rollout.mask
    return {
        "reward": grouped.mean().item(),
        "tied_share": (grouped == grouped[:, :1]).all(dim=1).double().mean().item(),
        "length": rollout.mask.sum(dim=1).double().mean().item(),
        "eos_share": rollout.ended.double().mean().item(),
        "sampler_gap": gap.max().item(),
    }
