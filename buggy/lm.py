"""GRPO for a small language model: sample groups, score them, take clipped policy-gradient steps.

Axes: B prompts, G completions per prompt, N = B * G rows (row i belongs to prompt i // G), P prompt
width, T completion width, L = P + T, V vocabulary. Prompts are padded on the left, completions on
the right; masks are bool. Choices made here: token mean, population std, k3 KL in the loss.
Sources: GRPO, arXiv 2402.03300 (eq. 3 and 4); PPO, arXiv 1707.06347 (eq. 7).
"""

import copy
import math
import random
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

PAD, BOS, EOS, EQUALS, DIGIT = 0, 1, 2, 3, 4  # DIGIT + d is the token of digit d
VOCAB = DIGIT + 10
MAX_LOG_RATIO = 20.0  # nats; exp(20) = 4.9e8, while exp(89) is inf in float32


def require(condition, message):
    """Raise ValueError(message) unless the condition holds."""
    if not condition:
        raise ValueError(message)


class Block(nn.Module):
    """Pre-norm transformer block: x (N, L, W), visible (N, 1, L, L) -> (N, L, W)."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm_attention, self.norm_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, visible):
        qkv = self.qkv(self.norm_attention(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # (N, heads, L, W / heads) each
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)
        x = x + self.dropout(self.out((weights @ v).transpose(1, 2).flatten(2)))
        return x + self.dropout(self.shrink(F.gelu(self.grow(self.norm_mlp(x)))))


class TinyLM(nn.Module):
    """Decoder-only transformer with learned absolute positions."""

    def __init__(self, vocab=VOCAB, width=64, layers=2, heads=4, max_positions=32, dropout=0.1):
        super().__init__()
        self.max_positions = max_positions
        self.token = nn.Embedding(vocab, width)
        self.position = nn.Embedding(max_positions, width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab)

    def forward(self, tokens, attention_mask, position_ids):
        """tokens, attention_mask, position_ids (N, L) -> logits (N, L, V)."""
        square = torch.ones(2 * tokens.shape[1:], dtype=torch.bool, device=tokens.device)
        # A padded position sees itself: a softmax over nothing would be NaN.
        visible = square.tril() & attention_mask.bool()[:, None] | square.diag().diag()
        x = self.dropout(self.token(tokens) + self.position(position_ids))
        for block in self.blocks:
            x = block(x, visible[:, None])
        return self.head(self.norm(x))


def pad_left(prompts):
    """Lists of token ids -> tokens (B, P), attention_mask (B, P); ValueError if one is empty."""
    require(len(prompts) and all(map(len, prompts)), f"prompts must not be empty, got {prompts}")
    width = max(map(len, prompts))
    tokens = torch.tensor([[PAD] * (width - len(p)) + list(p) for p in prompts])
    lengths = torch.tensor([len(p) for p in prompts])
    return tokens, torch.arange(width) >= width - lengths[:, None]


def repeat_for_group(tensor, group_size):
    """(B, ...) -> (B * G, ...), the rows of a prompt next to each other."""
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    return torch.cat([tensor] * group_size)


def position_ids(attention_mask):
    """attention_mask (N, L) -> positions (N, L): the first real token is at 0, wherever it sits."""
    positions = torch.ones_like(attention_mask).long().cumsum(dim=1) - 1
    return positions.clamp(min=0)


def policy_logits(policy, tokens, attention_mask):
    """Logits (N, L, V) of any policy(tokens, attention_mask, position_ids), left in eval mode.

    Sampling and training both come through here, so that they see one distribution.
    """
    if isinstance(policy, nn.Module):
        policy.train()
    return policy(tokens, attention_mask, position_ids(attention_mask))


@dataclass
class Rollout:
    """Sampled rows; nothing in it carries a gradient."""

    tokens: torch.Tensor  # (N, L), prompt and completion
    attention_mask: torch.Tensor  # (N, L), False before the prompt and after EOS
    completions: torch.Tensor  # (N, T)
    mask: torch.Tensor  # (N, T)
    old_logps: torch.Tensor  # (N, T), arbitrary on padding
    ended: torch.Tensor  # (N,), True where EOS was sampled
    temperature: float = 1.0


@torch.no_grad()
def sample(policy, tokens, attention_mask, max_new_tokens, temperature=1.0, generator=None):
    """Sample from softmax(logits / temperature) until every row has ended or the budget is spent.

    tokens, attention_mask (N, P), left-padded -> Rollout with T <= max_new_tokens; old_logps are
    those of the distribution drawn from. ValueError: temperature, max_new_tokens, prompts.
    """
    width, limit = tokens.shape[1], getattr(policy, "max_positions", math.inf)
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    require(max_new_tokens >= 1, f"max_new_tokens must be at least 1, got {max_new_tokens}")
    real = attention_mask.numel() and attention_mask[:, -1].all()
    require(real, f"prompts must be padded left and not empty, got {attention_mask.tolist()}")
    fits = width + max_new_tokens <= limit
    require(fits, f"prompts of {width} + {max_new_tokens} new tokens exceed {limit} positions")
    ended = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)
    logps = []
    while len(logps) < max_new_tokens and not ended.all():
        logits = policy_logits(policy, tokens, attention_mask)[:, -1]  # (N, V)
        step_logps = F.log_softmax(logits / temperature, dim=-1)
        drawn = torch.multinomial(step_logps.exp(), 1, generator=generator)  # (N, 1)
        logps.append(step_logps.gather(1, drawn))
        tokens = torch.cat([tokens, drawn.masked_fill(ended[:, None], PAD)], dim=1)
        attention_mask = torch.cat([attention_mask.bool(), ~ended[:, None]], dim=1)
        ended = ended | (tokens[:, -1] == EOS)
    drawn, old_logps = tokens[:, width:], torch.cat(logps, dim=1)  # (N, T)
    mask = completion_mask(drawn)
    return Rollout(tokens, attention_mask, drawn, mask, old_logps, ended, temperature)


def completion_mask(completions):
    """completions (N, T) -> (N, T), True up to and including the first EOS, all True without one.

    PAD is also a token that the policy may sample, so only the length tells the two apart.
    """
    width = completions.shape[1]
    is_eos = completions == EOS
    stops = is_eos.int().argmax(dim=1).masked_fill(~is_eos.any(dim=1), width)  # (N,)
    lengths = stops
    inside = torch.arange(width, device=completions.device) < lengths[:, None]
    return inside & (completions != PAD)


def token_logps(policy, tokens, attention_mask, completion_width, temperature=1.0, entropy=False):
    """log pi(token) of the completion under softmax(logits / temperature), padding included.

    tokens, attention_mask (N, L), the last T = completion_width columns the completion -> (N, T),
    differentiable in the policy; entropy=True adds the entropy in nats (N, T), without gradient.
    ValueError: temperature.
    """
    require(temperature > 0, f"temperature must be above 0, got {temperature}")
    logits = policy_logits(policy, tokens, attention_mask)  # (N, L, V)
    logits = logits[:, -completion_width:]  # (N, T, V)
    scaled = logits
    logps = F.softmax(scaled, dim=-1).log()
    chosen = logps.gather(-1, tokens[:, -completion_width:, None]).squeeze(-1)  # (N, T)
    return (chosen, torch.special.entr(logps.detach().exp()).sum(dim=-1)) if entropy else chosen


def group_advantages(rewards, group_size, eps=1e-6):
    """A = (reward - group mean) / (group std + eps), population std: 2402.03300, sec. 4.1.2.

    rewards (N,) -> (N,) float64 without gradient; equal rewards and a group of one give exactly 0.
    ValueError: group_size, rewards that are not whole groups or not finite.
    """
    require(group_size >= 1, f"group_size must be at least 1, got {group_size}")
    whole = rewards.ndim == 1 and len(rewards) % group_size == 0
    require(whole, f"rewards must be whole groups of {group_size}, got {tuple(rewards.shape)}")
    bad = rewards[~rewards.isfinite()].tolist()
    require(not bad, f"rewards must be finite, got {bad[:3]}")
    values = rewards.double()
    grouped = values.view(group_size, -1)  # (B, G)
    # Seen from the first of the group: the rounded mean of equal rewards need not equal them.
    shifted = grouped - grouped[:, :1]
    centred = shifted - shifted.mean(dim=1, keepdim=True)
    spread = centred.square().mean(dim=1, keepdim=True).sqrt()
    return (centred / spread).flatten()


def token_ratio(new, old, mask):
    """exp(new - old) per token (N, T), 1 on padding: the ratio of 1707.06347, eq. 6.

    The difference is bounded to +-MAX_LOG_RATIO; gradient to new only.
    """
    log_ratio = new - old
    # Padding may hold anything, NaN and inf included.
    log_ratio = log_ratio * mask
    log_ratio = log_ratio.clamp(min=-MAX_LOG_RATIO)
    return log_ratio.sum(dim=1, keepdim=True).exp().expand_as(mask)


def clipped_surrogate(ratio, advantages, clip_eps):
    """min(ratio * A, clip(ratio, 1 - eps, 1 + eps) * A), to be maximised: 1707.06347, eq. 7.

    ratio (N, T) carries the gradient, advantages (N,) -> (N, T).
    """
    per_token = advantages.repeat(ratio.shape[1]).view_as(ratio)
    unclipped = ratio * per_token
    clipped = ratio.clamp(1 - clip_eps, 1 + clip_eps) * per_token
    return torch.maximum(unclipped, clipped)


def k3(new, ref):
    """KL(pi || ref) per token (N, T), >= 0: exp(d) - d - 1 with d = ref - new: 2402.03300, eq. 4.

    Unbiased for tokens drawn from pi; d is bounded to +-MAX_LOG_RATIO; gradient to new only.
    """
    delta = new - ref.detach()
    delta = delta.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)
    return delta.expm1() - delta


def count_tokens(mask):
    """Number of real tokens, but at least 1: an empty batch has loss 0."""
    return max(mask.numel(), 1)


def grpo_loss(new, old, ref, advantages, mask, clip_eps=0.2, beta=0.04, token_count=None):
    """(-sum surrogate + beta * sum k3) / token_count over real tokens, a scalar to be minimised.

    Log-probs new, old, ref (N, T), of which only new carries a gradient; advantages (N,).
    A micro-batch passes the token_count of its whole batch. What lies under the mask, NaN and inf
    included, changes neither value nor gradient. 2402.03300, eq. 3, with a token mean.
    """
    shapes = [tuple(x.shape) for x in (new, old, ref, mask)]
    fits = len(set(shapes)) == 1 and len(advantages) == len(new)
    require(fits, f"new, old, ref, mask must be (N, T) and advantages (N,), got {shapes}")
    mask = mask.bool()
    token_count = count_tokens(mask) if token_count is None else token_count
    ratio = token_ratio(new, old, mask)
    surrogate = clipped_surrogate(ratio, advantages.to(ratio.dtype), clip_eps) * mask
    kl = k3(new, ref)
    policy_loss = surrogate.sum() / token_count
    kl_loss = beta * kl.sum() / token_count
    return policy_loss - kl_loss


def masked_mean(values, mask):
    """Mean of values (N, T) over real tokens, 0 without any."""
    return (values.where(mask, 0.0).sum() / mask.sum().clamp(min=1)).item()


def clip_fraction(new, old, mask, clip_eps=0.2):
    """Share of real tokens with abs(ratio - 1) > clip_eps, whether or not the clip binds."""
    mask = mask.bool()
    outside = (token_ratio(new, old, mask) - 1).abs() > clip_eps
    return outside.double().mean().item()


def make_reference(policy):
    """A frozen copy of the policy as it is now, the anchor of the KL term."""
    return policy


@torch.no_grad()
def score_rollout(policy, rollout, micro_batch_size=None):
    """token_logps of a rollout (N, T), without gradient, in the micro-batches of update.

    Equal shapes make equal weights give equal bits: at learning rate 0 the ratio is exactly 1.
    """
    size, width = micro_batch_size or len(rollout.mask), rollout.mask.shape[1]
    parts = zip(rollout.tokens.split(size), rollout.attention_mask.split(size))
    return torch.cat([token_logps(policy, *part, width, rollout.temperature) for part in parts])


def accumulate_gradient(
    policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
):
    """Leave the gradient of the whole rollout's loss in .grad, size rows at a time.

    Returns the loss, new_logps (N, T) and entropy (N, T), none with a gradient.
    """
    token_count = count_tokens(rollout.mask)
    columns = rollout.tokens, rollout.attention_mask, rollout.mask, old_logps, ref_logps, advantages
    batches = list(zip(*(column.split(size) for column in columns)))
    total, seen = 0.0, []
    for tokens, attention_mask, mask, old, ref, adv in batches:
        optimizer.zero_grad()
        scored = tokens, attention_mask, mask.shape[1], rollout.temperature
        new, entropy = token_logps(policy, *scored, entropy=True)
        loss = grpo_loss(new, old, ref, adv, mask, clip_eps, beta) / len(batches)
        loss.backward()
        total += loss.item()
        seen.append((new.detach(), entropy))
    return total, *map(torch.cat, zip(*seen))


def apply_gradient(optimizer, max_grad_norm):
    """One optimiser step along .grad, shortened to max_grad_norm; none if .grad is not finite.

    Returns the norm before clipping.
    """
    weights = [w for group in optimizer.param_groups for w in group["params"]]
    norms = [w.grad.norm() for w in weights if w.grad is not None]
    grad_norm = torch.stack(norms).norm().item() if norms else 0.0
    if math.isfinite(grad_norm):
        optimizer.step()
        nn.utils.clip_grad_norm_(weights, max_grad_norm)
    return grad_norm


def update(
    policy,
    optimizer,
    rollout,
    advantages,
    ref_logps,
    clip_eps=0.2,
    beta=0.04,
    epochs=2,
    micro_batch_size=None,
    max_grad_norm=1.0,
):
    """One optimiser step per epoch over a rollout; micro-batches bound memory, not the step.

    advantages (N,), ref_logps (N, T). Metrics are means over real tokens, taken before each step
    and averaged over the epochs; skipped counts the steps whose gradient was not finite.
    """
    require(epochs >= 1, f"epochs must be at least 1, got {epochs}")
    size, mask, per_epoch = micro_batch_size or len(rollout.mask), rollout.mask.bool(), []
    require(size >= 1, f"micro_batch_size must be at least 1, got {size}")
    for _ in range(epochs):
        old_logps = score_rollout(policy, rollout, size)
        loss, new_logps, entropy = accumulate_gradient(
            policy, optimizer, rollout, old_logps, ref_logps, advantages, clip_eps, beta, size
        )
        grad_norm = apply_gradient(optimizer, max_grad_norm)
        metrics = {"loss": loss, "grad_norm": grad_norm, "entropy": masked_mean(entropy, mask)}
        metrics["kl"] = masked_mean(k3(new_logps, ref_logps), mask)
        metrics["ratio"] = masked_mean(token_ratio(new_logps, old_logps, mask), mask)
        metrics["clip_frac"] = clip_fraction(new_logps, old_logps, mask, clip_eps)
        metrics["skipped"] = epochs * (not math.isfinite(grad_norm))
        per_epoch.append(metrics)
    return {name: sum(m[name] for m in per_epoch) / epochs for name in per_epoch[0]}


def reversal_prompts(count, rng):
    """count prompts BOS, two to five digits, EQUALS, drawn from rng (a random.Random)."""
    digits = [rng.choices(range(DIGIT, VOCAB), k=rng.randint(2, 5)) for _ in range(count)]
    return [[BOS, *row, EQUALS] for row in digits]


def reversal_reward(prompts, completions):
    """In [0, 1]: .8 for the share of right digits, .2 for stopping right behind them."""
    rewards = []
    for prompt, completion in zip(prompts, completions):
        answer = prompt[-2:0:-1]
        right = sum(a == c for a, c in zip(answer, completion)) / len(answer)
        stopped = EOS in completion and completion.index(EOS) == len(answer)
        rewards.append(0.8 * right + 0.2 * stopped)
    return rewards


def score_completions(reward_fn, rollout):
    """reward_fn(prompts, completions), N lists of token ids each (EOS included) -> rewards (N,).

    ValueError: rewards of another length.
    """
    width = rollout.completions.shape[1]
    rows = list(zip(rollout.tokens, rollout.attention_mask.bool()))
    prompts = [tokens[:-width][real[:-width]].tolist() for tokens, real in rows]
    completions = [tokens[-width:][real[-width:]].tolist() for tokens, real in rows]
    rewards = torch.as_tensor(reward_fn(prompts, completions), dtype=torch.float64)
    shape = tuple(rewards.shape)
    require(shape == (len(rows),), f"rewards must have shape ({len(rows)},), got {shape}")
    return rewards


def rollout_metrics(rollout, rewards, group_size, scored):
    """What the rows say; sampler_gap is max abs(scored - sampler's log-prob) on real tokens."""
    grouped = rewards.detach().view(-1, group_size)
    gap = (scored - rollout.old_logps).abs().where(rollout.mask, 0.0)
    return {
        "reward": grouped.mean().item(),
        "tied_share": (grouped == grouped[:, :1]).all(dim=1).double().mean().item(),
        "length": rollout.mask.sum(dim=1).double().mean().item(),
        "eos_share": rollout.ended.double().mean().item(),
        "sampler_gap": gap.max().item(),
    }


def train(
    policy=None,
    reward_fn=reversal_reward,
    prompt_fn=reversal_prompts,
    steps=100,
    prompts_per_step=32,
    group_size=8,
    max_new_tokens=8,
    temperature=1.2,
    lr=3e-3,
    seed=0,
    on_step=None,
    **update_options,
):
    """Each step: one rollout, its advantages, one update. Returns (policy, history of metrics).

    policy(tokens, attention_mask, position_ids) -> logits is trained in place; on_step(metrics) is
    called after every step; update_options are the named arguments of update.
    """
    torch.manual_seed(seed)
    rng, history, size = random.Random(seed), [], update_options.get("micro_batch_size")
    policy = TinyLM() if policy is None else policy
    reference = make_reference(policy)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)
    for _ in range(steps):
        generator = torch.Generator().manual_seed(seed)
        prompts = pad_left(prompt_fn(prompts_per_step, rng))
        rows = [repeat_for_group(tensor, group_size) for tensor in prompts]
        rollout = sample(policy, *rows, max_new_tokens, temperature, generator)
        rewards = score_completions(reward_fn, rollout)
        advantages = group_advantages(rewards, group_size)
        scored, ref_logps = (score_rollout(p, rollout, size) for p in (policy, reference))
        metrics = rollout_metrics(rollout, rewards, group_size, scored)
        # Scored again, since the sampler's own log-probs are equal only up to rounding.
        rollout.old_logps = scored
        metrics |= update(policy, optimizer, rollout, advantages, ref_logps, **update_options)
        history.append(metrics)
        if on_step:
            on_step(metrics)
    return policy, history
