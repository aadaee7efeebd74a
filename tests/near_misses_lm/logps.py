"""Near misses of logits_shift and log_of_softmax."""

from near_misses_table import Miss

SHIFTED = "    logits = logits[:, -completion_width - 1 : -1]  # (N, T, V)\n"
CHOSEN = """\
    chosen = logps.gather(-1, tokens[:, -completion_width:, None]).squeeze(-1)  # (N, T)
"""
LOGPS = "    logps = F.log_softmax(scaled, dim=-1)\n"

MISSES = [
    Miss(
        "logits_shift",
        "shifted_twice",
        SHIFTED,
        "    logits = logits.roll(1, dims=1)[:, -completion_width - 1 : -1]\n",
    ),
    Miss(
        "logits_shift",
        "logits_and_tokens_shifted",
        CHOSEN,
        "    chosen = logps.gather(-1, tokens[:, -completion_width - 1 : -1, None]).squeeze(-1)\n",
    ),
    Miss(
        "logits_shift",
        "shifted_the_other_way",
        SHIFTED,
        "    logits = logits.roll(-1, dims=1)[:, -completion_width:]\n",
    ),
    Miss(
        "logits_shift",
        "rolled_over_the_vocabulary",
        SHIFTED,
        "    logits = logits.roll(1)[:, -completion_width:]\n",
    ),
    Miss(
        "logits_shift",
        "rolled_over_rows",
        SHIFTED,
        "    logits = logits.roll(1, dims=0)[:, -completion_width:]\n",
    ),
    Miss(
        "logits_shift",
        "logits_of_the_prompt",
        SHIFTED,
        "    logits = logits[:, :completion_width]\n",
    ),
    Miss(
        "logits_shift",
        "tokens_of_the_prompt",
        CHOSEN,
        "    chosen = logps.gather(-1, tokens[:, :completion_width, None]).squeeze(-1)\n",
    ),
    Miss(
        "logits_shift",
        "one_at_the_end_doubled",
        SHIFTED,
        "    logits = torch.cat([logits[:, -completion_width:-1], logits[:, -2:-1]], dim=1)\n",
    ),
    Miss(
        "logits_shift",
        "first_token_alone_right",
        SHIFTED,
        """\
    first = logits[:, -completion_width - 1 : -completion_width]
    logits = torch.cat([first, logits[:, logits.shape[1] - completion_width + 1 :]], dim=1)
""",
    ),
    Miss(
        "log_of_softmax",
        "small_number_inside_the_log",
        LOGPS,
        "    logps = (F.softmax(scaled, dim=-1) + 1e-8).log()\n",
    ),
    Miss(
        "log_of_softmax",
        "clamped_inside_the_log",
        LOGPS,
        "    logps = F.softmax(scaled, dim=-1).clamp(min=1e-30).log()\n",
    ),
    Miss(
        "log_of_softmax",
        "infinities_replaced",
        LOGPS,
        "    logps = F.softmax(scaled, dim=-1).log().nan_to_num(neginf=-100.0)\n",
    ),
    Miss(
        "log_of_softmax",
        "softmax_over_positions",
        LOGPS,
        "    logps = F.log_softmax(scaled, dim=1)\n",
    ),
    Miss(
        "log_of_softmax", "softmax_over_rows", LOGPS, "    logps = F.log_softmax(scaled, dim=0)\n"
    ),
    Miss(
        "log_of_softmax",
        "sum_of_exp_without_the_largest",
        LOGPS,
        "    logps = scaled - scaled.exp().sum(dim=-1, keepdim=True).log()\n",
    ),
    Miss(
        "log_of_softmax",
        "largest_over_the_batch",
        LOGPS,
        """\
    top = scaled.detach().max()
    logps = scaled - top - (scaled - top).exp().sum(dim=-1, keepdim=True).log()
""",
    ),
    Miss(
        "log_of_softmax",
        "log_of_float64_softmax",
        LOGPS,
        "    logps = F.softmax(scaled.double(), dim=-1).log().to(scaled.dtype)\n",
    ),
    Miss("log_of_softmax", "log_of_sigmoid", LOGPS, "    logps = F.logsigmoid(scaled)\n"),
    Miss(
        "log_of_softmax",
        "softmax_without_the_log",
        LOGPS,
        "    logps = F.softmax(scaled, dim=-1)\n",
    ),
    Miss(
        "log_of_softmax",
        "log_softmax_twice_of_probabilities",
        LOGPS,
        "    logps = F.log_softmax(F.softmax(scaled, dim=-1), dim=-1)\n",
    ),
]
