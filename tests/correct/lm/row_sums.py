"""Token losses are summed row by row, then over rows, then divided once."""
# ruff: noqa: F821


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    mask = mask.bool()
    total = new.new_zeros(()) + (new * 0.0).where(mask, 0.0).sum()
    for row in range(len(mask)):
        real = mask[row]
        n, o, r = new[row][real], old[row][real].detach(), ref[row][real].detach()
        ratio = torch.exp((n - o).clamp(-20, 20))
        a = advantages[row].item()
        total = total - torch.minimum(ratio * a, ratio.clamp(1 - clip_eps, 1 + clip_eps) * a).sum()
        d = (r - n).clamp(-20, 20)
        total = total + beta * (d.exp() - d - 1).sum()
    return total / (token_count or max(int(mask.sum()), 1))
