"""Changes to what was never wrong in target and rollout."""

from .miss import Miss

TARGET = """\
    return prompt % VOCAB
"""

PROBS = """\
        probs = [math.exp(logp) for logp in log_softmax(theta[prompt])]
"""

DRAW = """\
            length = rng.randint(1, max_len)
            completion = rng.choices(range(VOCAB), weights=probs, k=length)
"""

LENGTH = """\
            length = rng.randint(1, max_len)
"""

CHOICES = """\
            completion = rng.choices(range(VOCAB), weights=probs, k=length)
"""

COLLECTED = """\
    rows, completions, rewards = [], [], []
    for prompt in prompts:
"""

REWARD = """\
            rewards.append(completion.count(target(prompt)) / length)
"""

WIDTH = """\
    width = max(len(completion) for completion in completions)
    tokens = [completion + [PAD] * (width - len(completion)) for completion in completions]
"""

LOOPS = """\
        for _ in range(group_size):
"""

MISSES = [
    Miss(
        "decoy",
        "next_token_as_target",
        TARGET,
        """\
    return (prompt + 1) % VOCAB
""",
    ),
    Miss(
        "decoy",
        "reward_is_a_count",
        REWARD,
        """\
            rewards.append(completion.count(target(prompt)))
""",
    ),
    Miss(
        "decoy",
        "reward_for_the_whole_sequence",
        REWARD,
        """\
            rewards.append(float(completion.count(target(prompt)) == length))
""",
    ),
    Miss(
        "decoy",
        "reward_for_any_hit",
        REWARD,
        """\
            rewards.append(float(target(prompt) in completion))
""",
    ),
    Miss(
        "decoy",
        "reward_of_the_first_token",
        REWARD,
        """\
            rewards.append(float(completion[0] == target(prompt)))
""",
    ),
    Miss(
        "decoy",
        "reward_of_the_last_token",
        REWARD,
        """\
            rewards.append(float(completion[-1] == target(prompt)))
""",
    ),
    Miss(
        "decoy",
        "reward_over_max_len",
        REWARD,
        """\
            rewards.append(completion.count(target(prompt)) / max_len)
""",
    ),
    Miss(
        "decoy",
        "reward_counts_padding_as_hits",
        REWARD,
        """\
            line = completion + [PAD] * (max_len - length)
            rewards.append(line.count(target(prompt)) / max_len)
""",
    ),
    Miss(
        "decoy",
        "reward_skips_pad_tokens",
        REWARD,
        """\
            real = [token for token in completion if token != PAD]
            rewards.append(real.count(target(prompt)) / max(len(real), 1))
""",
    ),
    Miss(
        "decoy",
        "reward_with_a_length_penalty",
        REWARD,
        """\
            rewards.append(completion.count(target(prompt)) / length - 0.01 * length)
""",
    ),
    Miss(
        "decoy",
        "choices_before_randint",
        DRAW,
        """\
            completion = rng.choices(range(VOCAB), weights=probs, k=max_len)
            length = rng.randint(1, max_len)
            completion = completion[:length]
""",
    ),
    Miss(
        "decoy",
        "one_draw_per_token",
        DRAW,
        """\
            length = rng.randint(1, max_len)
            completion = [rng.randrange(VOCAB) for _ in range(length)]
""",
    ),
    Miss(
        "decoy",
        "greedy_tokens",
        CHOICES,
        """\
            completion = [probs.index(max(probs))] * length
""",
    ),
    Miss(
        "decoy",
        "uniform_tokens",
        CHOICES,
        """\
            completion = rng.choices(range(VOCAB), k=length)
""",
    ),
    Miss(
        "decoy",
        "one_token_repeated",
        CHOICES,
        """\
            completion = rng.choices(range(VOCAB), weights=probs, k=1) * length
""",
    ),
    Miss(
        "decoy",
        "log_probs_as_weights",
        PROBS,
        """\
        probs = [-logp for logp in log_softmax(theta[prompt])]
""",
    ),
    Miss(
        "decoy",
        "sampled_at_a_lower_temperature",
        PROBS,
        """\
        probs = [math.exp(logp) ** 2 for logp in log_softmax(theta[prompt])]
""",
    ),
    Miss(
        "decoy",
        "first_prompt_for_all",
        PROBS,
        """\
        probs = [math.exp(logp) for logp in log_softmax(theta[0])]
""",
    ),
    Miss(
        "decoy",
        "longest_completions_only",
        LENGTH,
        """\
            length = max_len
""",
    ),
    Miss(
        "decoy",
        "lengths_below_max_len",
        LENGTH,
        """\
            length = rng.randint(1, max(max_len - 1, 1))
""",
    ),
    Miss(
        "decoy",
        "length_once_per_prompt",
        PROBS,
        """\
        probs = [math.exp(logp) for logp in log_softmax(theta[prompt])]
        max_len = rng.randint(1, max_len)
""",
    ),
    Miss(
        "decoy",
        "generator_made_in_rollout",
        COLLECTED,
        """\
    rows, completions, rewards = [], [], []
    rng = random.Random(0)
    for prompt in prompts:
""",
    ),
    Miss(
        "decoy",
        "generator_made_for_each_prompt",
        PROBS,
        """\
        probs = [math.exp(logp) for logp in log_softmax(theta[prompt])]
        rng = random.Random(prompt)
""",
    ),
    Miss(
        "decoy",
        "prompts_shuffled",
        COLLECTED,
        """\
    rows, completions, rewards = [], [], []
    for prompt in rng.sample(list(prompts), len(prompts)):
""",
    ),
    Miss(
        "decoy",
        "prompts_interleaved",
        COLLECTED,
        """\
    rows, completions, rewards = [], [], []
    prompts, group_size = list(prompts) * group_size, 1
    for prompt in prompts:
""",
    ),
    Miss(
        "decoy",
        "one_completion_too_many",
        LOOPS,
        """\
        for _ in range(group_size + 1):
""",
    ),
    Miss(
        "decoy",
        "padded_on_the_left",
        WIDTH,
        """\
    width = max(len(completion) for completion in completions)
    tokens = [[PAD] * (width - len(completion)) + completion for completion in completions]
""",
    ),
]
