"""Draws docs/figures/*.svg from trainings of the table trainer, calls of its functions, and the
measured runs of the language model (docs/measure_lm.py).

python docs/figures.py [NAME ...]

Needs matplotlib (the extra "docs"). The same numbers give the same bytes.
"""

import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import figure_values as values
import matplotlib
import matplotlib.style
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Rectangle

FOLDER = values.ROOT / "docs" / "figures"
STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "grpo-kata",
}
BLACK, GREY, BLUE, ORANGE, GREEN = "#1a1a1a", "#767676", "#0072b2", "#d55e00", "#009e73"
EDGE = "#bbbbbb"
PURPLE, PINK, BROWN, GOLD = "#5b3fa0", "#c2569b", "#8c564b", "#b8860b"
PER_FIX = dict(enumerate((ORANGE, GOLD, PINK, BROWN, BLUE, PURPLE, GREY), 1))
CLIP_EPS = 0.2
COLOUR_LIMIT = 5  # of the heat map, in standard deviations


def new_figure(width: float, height: float, title: str) -> Figure:
    """An empty figure on a white panel with round corners, for light and dark pages."""
    figure = Figure(figsize=(width, height), layout=None)
    figure.patch.set_visible(False)
    edge = 0.02  # inches
    panel = FancyBboxPatch(
        (edge, edge),
        width - 2 * edge,
        height - 2 * edge,
        "round,pad=0,rounding_size=0.12",
        facecolor="white",
        edgecolor="#d0d7de",
        linewidth=0.8,
        zorder=-10,
        transform=figure.dpi_scale_trans,
    )
    figure.add_artist(panel)
    figure.suptitle(title, x=0.16 / width, y=1 - 0.12 / height, ha="left", va="top", size=11)
    return figure


def caption(figure: Figure, text: str) -> None:
    figure.text(0.16 / figure.get_figwidth(), 0.1 / figure.get_figheight(), text, color="#555555")


def place(figure: Figure, left, right, top, bottom, space=(0.2, 0.2), **grid):
    """Axes in a grid; the margins are in inches, the space between is in axes."""
    width, height = figure.get_size_inches()
    margins = {"left": left / width, "right": 1 - right / width}
    margins |= {"bottom": bottom / height, "top": 1 - top / height}
    return figure.subplots(**grid, gridspec_kw=margins | {"wspace": space[0], "hspace": space[1]})


def draw_rewards(axes, run: values.Run, **style) -> None:
    """The rewards over the steps; a cross where the run crashed."""
    steps = range(1, len(run.reward) + 1)
    axes.plot(steps, run.reward, **style)
    if run.error:
        last = (steps[-1:], run.reward[-1:])
        axes.scatter(*last, 42, style["color"], marker="X", zorder=5, lw=0, clip_on=False)


def spread(heights: list[float], distance: float) -> list[float]:
    """The heights, moved up where needed so that neighbours are at least this far apart."""
    moved: dict[int, float] = {}
    below = -1.0
    for place_ in sorted(range(len(heights)), key=lambda n: heights[n]):
        below = moved[place_] = max(heights[place_], below + distance)
    return [moved[n] for n in range(len(heights))]


def hook() -> Figure:
    figure = new_figure(
        8.6, 4.4, "One right fix makes the buggy trainer no better, or worse, or ends the run"
    )
    axes = place(figure, 0.65, 2.65, 0.5, 0.85)
    buggy = values.table_run(values.every(), 0)
    lines = {"no bugs": (values.table_run((), 0), GREEN, 2.2)}
    lines["all seven bugs"] = (buggy, BLACK, 2.2)
    same, ends = [], {}
    for bug in values.bugs("table"):
        run = values.table_run(values.all_but(bug.number), 0)
        if run == buggy:
            same.append(str(bug.number))
        else:
            lines[f"bug {bug.number} fixed"] = (run, PER_FIX[bug.number], 1.3)
    for name, (run, colour, width) in lines.items():
        draw_rewards(axes, run, color=colour, linewidth=width)
        label = name
        if run.error:
            label += f": crash in step {len(run.reward)}"
        if run is buggy and same:
            label += f",\nalso with {' or '.join(same)} fixed"
        ends[label] = (sum(run.reward[-5:]) / len(run.reward[-5:]), colour)
    heights = spread([height for height, _ in ends.values()], 0.085)
    for (label, (_, colour)), height in zip(ends.items(), heights):
        axes.text(61.5, height, label, color=colour, va="center", linespacing=1.05)
    axes.set(xlim=(0, 60.5), ylim=(0, 1.02), xlabel="step (one rollout each)")
    axes.set_ylabel("reward: share of tokens on target")
    caption(
        figure,
        "Table trainer, default settings, seed 0. Mean reward of each rollout; "
        "a cross marks a ZeroDivisionError.",
    )
    return figure


def table_bugs() -> Figure:
    figure = new_figure(10, 9, "The bugs of the table trainer, one by one")
    grid = place(figure, 0.5, 0.2, 0.75, 0.85, (0.3, 0.62), nrows=4, ncols=4)
    kinds = {
        "no bugs": (lambda number: (), GREEN, 2.4, 0.45),
        "this bug alone": (lambda number: (number,), ORANGE, 0.9, 1),
        "all but this bug": (values.all_but, BLUE, 0.9, 1),
    }
    pairs = [row[half : half + 2] for row in grid for half in (0, 2)]
    for bug, (reward, clip) in zip(values.bugs("table"), pairs):
        for planted, colour, width, alpha in kinds.values():
            style = {"color": colour, "linewidth": width, "alpha": alpha}
            for seed in values.SEEDS:
                run = values.table_run(planted(bug.number), seed)
                draw_rewards(reward, run, **style)
                clip.plot(range(1, len(run.clip_frac) + 1), run.clip_frac, **style)
        reward.set(xlim=(0, 61), ylim=(0, 1.02), yticks=(0, 0.5, 1), xlabel="step")
        clip.set(xlim=(0, 61), ylim=(-0.004, 0.12), yticks=(0, 0.05, 0.1), xlabel="step")
        reward.set_title(f"{bug.number} {bug.name}: reward", loc="left")
        clip.set_title("clip fraction", loc="left")
    for axes in pairs[-1]:
        axes.set_axis_off()
    handles = [
        Line2D([], [], color=colour, linewidth=width, alpha=alpha)
        for _, colour, width, alpha in kinds.values()
    ]
    handles.append(Line2D([], [], color=GREY, marker="X", linestyle="", markersize=6))
    pairs[-1][0].legend(handles, [*kinds, "ZeroDivisionError"], loc="center left", fontsize=10)
    caption(
        figure,
        "Default settings, seeds 0, 1 and 2, a line each. Reward: mean of the rollout, 0 to 1. "
        "Clip fraction: share of real tokens, largest of the step's epochs.",
    )
    return figure


def surrogate() -> Figure:
    figure = new_figure(8.6, 4.1, "The surrogate of one token: min is a pessimist, max an optimist")
    panels = place(figure, 0.6, 0.2, 0.7, 0.95, ncols=2)
    maximum = values.table_with((4,))
    ratios = [n / 100 for n in range(20, 201)]
    for axes, advantage in zip(panels, (1.0, -1.0)):

        def curve(module):
            return [values.surrogate(module, ratio, advantage) for ratio in ratios]

        axes.axvspan(1 - CLIP_EPS, 1 + CLIP_EPS, color="#f0f0f0", linewidth=0)
        axes.plot(ratios, curve(maximum), color=ORANGE, ls="--", lw=1.8, label="max (bug 4)")
        axes.plot(ratios, curve(values.table), color=BLUE, linewidth=2.2, label="min")
        axes.scatter([1], [advantage], 28, BLACK, zorder=5, lw=0)
        axes.set(xlim=(0.2, 2), xlabel="ratio: new / old probability of the token")
        axes.set_xticks([0.4, 0.8, 1, 1.2, 1.6, 2])
        axes.set_title(f"A = {'+' if advantage > 0 else '−'}1", loc="left")
    panels[0].set(ylim=(0, 2.05), yticks=(0, 0.5, 1, 1.5, 2), ylabel="surrogate (to be maximised)")
    panels[1].set(ylim=(-2.05, 0), yticks=(-2, -1.5, -1, -0.5, 0))
    panels[0].legend(loc="upper left", handlelength=2.6)
    caption(
        figure,
        "Minus the loss of one token, β = 0, computed by grpo_loss. Grey: the range 1 − ε to 1 + ε, "
        "ε = 0.2.\nDot: where every rollout starts. Where a curve is flat, the token has no gradient.",
    )
    return figure


def kl() -> Figure:
    figure = new_figure(8.6, 4.3, "Three KL estimators: their values, and what they do as losses")
    left, right = place(figure, 0.6, 0.2, 0.7, 1.0, (0.27, 0), ncols=2, width_ratios=(1, 1.2))
    estimators = {"k1": (values.k1, ORANGE), "k2": (values.k2, BLUE), "k3": (values.k3, GREEN)}
    deltas = [n / 50 for n in range(-125, 126)]
    for name, (estimator, colour) in estimators.items():
        left.plot(deltas, [estimator(delta) for delta in deltas], color=colour, label=name, lw=1.8)
    left.axhline(0, color=BLACK, linewidth=0.6)
    left.set(xlim=(-2.5, 2.5), ylim=(-2.5, 6), ylabel="estimate (nats)")
    left.set_xlabel("δ = log π_ref − log π of the token (nats)")
    left.set_title("Value", loc="left")
    left.legend(loc="upper center")
    for n, (name, (estimator, colour)) in enumerate(estimators.items()):
        slopes = [round(slope, 8) + 0.0 for slope in values.mean_gradient(estimator)]
        at = [token + 0.24 * (n - 1) for token in range(4)]
        right.bar(at, slopes, 0.22, color=colour, alpha=0.75, label=f"{name} as a loss")
    for reverse, dashes, name in ((False, "-", "KL(π‖ref)"), (True, "--", "KL(ref‖π)")):
        slopes = [round(slope, 8) + 0.0 for slope in values.kl_gradient(reverse)]
        starts, ends = ([token + side for token in range(4)] for side in (-0.4, 0.4))
        right.hlines(slopes, starts, ends, BLACK, dashes, lw=1.3, label=f"gradient of {name}")
    right.axhline(0, color=BLACK, linewidth=0.6)
    right.set_xticks(range(4), [f"token {token}" for token in range(4)])
    right.grid(visible=False, axis="x")
    right.set(xlabel="logit", ylabel="mean gradient (nats per logit)", ylim=(-0.27, 0.47))
    right.set_title("Mean gradient over tokens drawn from π", loc="left")
    right.legend(loc="upper right")
    policy, reference = (", ".join(map(str, p)) for p in (values.POLICY, values.REFERENCE))
    caption(
        figure,
        f"Right: π = ({policy}), ref = ({reference}); exact sums over the four tokens.\n"
        "k1 pulls nowhere; k2 descends KL(π‖ref) and k3, which the code has, KL(ref‖π).",
    )
    return figure


def cell_text(cell: values.Cell) -> str:
    if cell.z is None:
        return "NaN"
    if cell.zero:
        return "= 0"
    if abs(cell.z) >= 99.5:
        return ">99" if cell.z > 0 else "<−99"
    return f"{cell.z:.1f}".replace("-0.0", "0.0").replace("-", "−")


def draw_cell(axes, column: int, row: int, face, text: str, dark: bool, **style) -> None:
    """A coloured square of a grid with a short text in it."""
    box = Rectangle((column, row), 1, 1, facecolor=face, edgecolor=EDGE, lw=0.5, clip_on=False)
    axes.add_patch(box)
    style |= {"color": "white" if dark else BLACK, "ha": "center", "va": "center", "size": 7}
    axes.text(column + 0.5, row + 0.53, text, **style)


def dress_grid(axes, columns: list, rows: list[str]) -> None:
    """Axes for cells: one label in the middle of each column and row, no lines."""
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.set_xticks([n + 0.5 for n in range(len(columns))], columns)
    axes.set_yticks([n + 0.5 for n in range(len(rows))], rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def draw_heat(axes, cells: list[values.Cell], row: int) -> None:
    """One bug: colours, numbers, and frames around what gives it away."""
    colours, norm = matplotlib.colormaps["RdBu_r"], TwoSlopeNorm(0, -COLOUR_LIMIT, COLOUR_LIMIT)
    for column, cell in enumerate(cells):
        z = None if cell.z is None else max(-COLOUR_LIMIT, min(COLOUR_LIMIT, cell.z))
        face = "#4d4d4d" if z is None else colours(norm(z))
        dark = z is None or abs(z) > 0.7 * COLOUR_LIMIT
        weight = "bold" if cell.exposed else "normal"
        draw_cell(axes, column, row, face, cell_text(cell), dark, weight=weight)
        if cell.exposed:
            inner = (column + 0.05, row + 0.07)
            axes.add_patch(Rectangle(inner, 0.9, 0.86, fill=False, edgecolor=GOLD, lw=1.4))


def lm_heatmap() -> Figure:
    heat = values.heat()
    names = list(heat.rows)
    figure = new_figure(10, 10.2, "Which metric exposes which bug of the language-model loop")
    axes = place(figure, 1.95, 1.6, 1.3, 0.95)
    labels = [f"{bug.number} {bug.name}" for bug in values.bugs("lm")] + [f"all {len(names) - 1}"]
    dress_grid(axes, heat.metrics, labels)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(axis="x", length=0, rotation=35)
    for label in axes.get_xticklabels():
        label.set_ha("left")
    axes.set(xlabel="metric", ylabel="bug planted")
    for row, name in enumerate(names):
        draw_heat(axes, heat.rows[name], row)
        if heat.hidden(name):
            axes.get_yticklabels()[row].set_color(ORANGE)
            text = "nothing: same numbers" if name in heat.unmoved else "nothing"
            axes.text(len(heat.metrics) + 0.15, row + 0.53, text, color=ORANGE, va="center", size=8)
    seeds = ", ".join(heat.seeds)
    caption(
        figure,
        f"z = (mean of the bug's runs − mean of the right runs) / std of the right runs; seeds {seeds};"
        f" of each run the mean of the last {heat.last} of {heat.steps} steps.\n"
        f"The std (of a sample) counts as at least {values.FLOOR_SHARE:.0%} of the mean and at least "
        f"{values.FLOOR}. Red: above the right runs, blue: below; colours end at ±{COLOUR_LIMIT}.\n"
        f"Framed, the metric gives the bug away: |z| ≥ {values.EXPOSED:g} and each seed beyond all "
        "right ones; or NaN; or exactly 0 (= 0) where no right run is.\n"
        "Orange: no metric does. Same numbers: every mean is that of the right run, to six digits.",
    )
    return figure


def averages() -> Figure:
    lengths, width = (1, 3, 6), 8
    figure = new_figure(9.4, 3.1, "What a token weighs in three averages")
    panels = place(figure, 0.75, 0.65, 0.8, 0.95, (0.22, 0), ncols=3)
    weights = values.token_weights(lengths, width)
    top = max(max(of_rows) for of_rows in weights.values())
    rows = [f"L = {length}" for length in lengths]
    for axes, (name, of_rows) in zip(panels, weights.items()):
        dress_grid(axes, range(1, width + 1), rows if axes is panels[0] else [""] * len(rows))
        axes.set_title(name, loc="left", pad=10)
        axes.set_xlabel("token position t")
        axes.text(width + 0.2, -0.25, "sum", va="center", size=8, color=GREY)
        for row, (length, weight) in enumerate(zip(lengths, of_rows)):
            blue = matplotlib.colormaps["Blues"](0.1 + 0.75 * weight / top)
            for token in range(width):
                face, text = (blue, f"1/{1 / weight:.0f}") if token < length else ("white", "")
                draw_cell(axes, token, row, face, text, weight > 0.6 * top)
            style = {"va": "center", "size": 8, "color": GREY}
            axes.text(width + 0.2, row + 0.53, f"{length * weight:.3f}", **style)
    panels[0].set_ylabel("row, L real tokens")
    caption(
        figure,
        f"{len(lengths)} rows in a batch of width {width}; white is padding. In a cell the "
        "weight of one token, in grey the sum of its row.\nToken mean (used here): 1 / sum of L. "
        f"Sequence mean: 1 / ({len(lengths)} L). Constant length: 1 / ({len(lengths)} · {width}).",
    )
    return figure


FIGURES = {f.__name__: f for f in (hook, table_bugs, surrogate, kl, lm_heatmap, averages)}


def svg(name: str) -> bytes:
    """The figure as the bytes of its file."""
    with matplotlib.style.context(["default", STYLE]):
        figure, out = FIGURES[name](), io.BytesIO()
        title = figure.get_suptitle()
        figure.savefig(out, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return out.getvalue()


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        (FOLDER / f"{name}.svg").write_bytes(svg(name))
