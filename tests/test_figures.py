"""docs/figures/ is what docs/figures.py draws, and what it draws is so."""

import json
import math
import re
import sys
import types
from xml.etree import ElementTree

import judge
import pytest

DOCS = judge.ROOT / "docs"
FOLDER = DOCS / "figures"
sys.path.insert(0, str(DOCS))
import figure_values as values  # noqa: E402
import figures  # noqa: E402
import measure_lm  # noqa: E402

PI, REF = values.POLICY, values.REFERENCE


def near(got, expected, tolerance=1e-8):
    assert len(got) == len(expected)
    assert all(abs(one - other) <= tolerance for one, other in zip(got, expected)), (got, expected)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_is_what_the_script_draws(name):
    written = (FOLDER / f"{name}.svg").read_bytes()
    assert figures.svg(name) == written, f"{name}.svg is stale: python docs/figures.py {name}"


def test_there_is_a_file_per_figure_and_all_are_small():
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(figures.FIGURES)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 2_000_000


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_is_shown_on_a_page_with_words_for_those_who_do_not_see_it(name):
    pages = [path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")]
    shown = [
        alt for page in pages for alt in re.findall(rf"!\[([^]]*)\]\(figures/{name}\.svg\)", page)
    ]
    assert shown and all(shown), f"no page of docs/ shows figures/{name}.svg"


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_stands_alone(name):
    """No date, no picture in the picture, no font or file to be fetched; text as outlines."""
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    tags = {element.tag.split("}")[1] for element in ElementTree.fromstring(text).iter()}
    assert not tags & {"image", "text", "date", "script"}
    assert all(ref.startswith("#") for ref in re.findall(r'href="([^"]*)"', text))


def test_the_surrogate():
    # 1 +- 0.2: below, on both edges, at 1, above. min and max of r A and clip(r) A, by hand.
    cases = {
        1.0: ((0.5, 0.8, 1.0, 1.2, 2.0), (0.5, 0.8, 1.0, 1.2, 1.2), (0.8, 0.8, 1.0, 1.2, 2.0)),
        -1.0: ((0.5, 0.8, 1.0, 1.2, 2.0), (-0.8, -0.8, -1, -1.2, -2), (-0.5, -0.8, -1, -1.2, -1.2)),
    }
    for advantage, (ratios, least, most) in cases.items():
        for numbers, expected in (((), least), ((4,), most)):
            module = values.table_with(numbers)
            near([values.surrogate(module, r, advantage) for r in ratios], expected)


def test_the_estimators():
    # At delta = log 2: k1 = -log 2, k2 = (log 2)^2 / 2, k3 = 2 - log 2 - 1.
    log2 = math.log(2)
    got = [k(log2) for k in (values.k1, values.k2, values.k3)]
    near(got, [-log2, log2 * log2 / 2, 1 - log2])


def test_the_gradients_of_the_estimators_and_of_the_two_kls():
    # With delta = log(ref / pi), summed over tokens v of pi: k1 has sum pi grad log pi = 0;
    # k2 has sum pi (-delta) grad log pi, in logit u pi_u (-delta_u - KL), as has KL(pi || ref);
    # k3 has sum pi (1 - ref / pi) grad log pi, in logit u pi_u - ref_u, as has KL(ref || pi).
    deltas = [math.log(ref / p) for p, ref in zip(PI, REF)]
    kl = -sum(p * delta for p, delta in zip(PI, deltas))
    to_ref = [p * (-delta - kl) for p, delta in zip(PI, deltas)]
    from_ref = [p - ref for p, ref in zip(PI, REF)]
    near(values.mean_gradient(values.k1), [0.0] * 4)
    near(values.mean_gradient(values.k2), to_ref)
    near(values.kl_gradient(reverse=False), to_ref)
    near(values.mean_gradient(values.k3), from_ref)
    near(values.kl_gradient(reverse=True), from_ref)


def test_the_weights_of_a_token():
    weights = values.token_weights((1, 3, 6), 8)
    near(weights["token mean"], [1 / 10] * 3)  # 1 + 3 + 6 tokens
    near(weights["sequence mean"], [1 / 3, 1 / 9, 1 / 18])  # a third per row
    near(weights["constant length"], [1 / 24] * 3)  # 3 rows of 8


def test_a_run_that_ends_is_told_as_its_history():
    run = values.table_run((), 0)
    _, history = values.table_with(()).train(seed=0)
    assert not run.error
    assert list(run.reward) == [step["reward"] for step in history]
    assert list(run.clip_frac) == [step["clip_frac"] for step in history]


def test_a_run_that_crashes_is_told_up_to_there():
    # 2 alone: the first group of equal rewards divides by zero, after the rollout of its step.
    run = values.table_run((2,), 1)
    _, history = values.table_with(()).train(seed=1)  # the same, until then
    steps = len(run.reward)
    assert run.error == "ZeroDivisionError" and 1 < steps < len(history)
    near(run.reward, [step["reward"] for step in history[:steps]], 1e-12)
    assert len(run.clip_frac) == steps - 1


def test_labels_keep_their_distance():
    near(figures.spread([0.5, 0.1, 0.52, 0.12], 0.1), [0.5, 0.1, 0.6, 0.2])


def test_a_cell_of_the_heat_map():
    right = [1.0, 2.0, 3.0]  # mean 2, std 1
    assert values.cell([5.0, 6.0, 7.0], right) == values.Cell(4.0, True, False)
    assert values.cell([4.0, 4.0, 5.5], right) == values.Cell(2.5, False, False)  # too near
    assert values.cell([2.5, 9.0, 9.5], right) == values.Cell(5.0, False, False)  # not all apart
    assert values.cell([None, 2.0, 2.0], right) == values.Cell(None, True, False)
    assert values.cell([0.0, 0.0, 0.0], right) == values.Cell(-2.0, True, True)
    # Floors: std 0 counts as 5% of the mean, 0.5, or as 0.01.
    assert values.cell([11.0] * 3, [10.0] * 3).z == pytest.approx(2)
    assert values.cell([0.05] * 3, [0.0] * 3).z == pytest.approx(5)


def test_the_measured_runs_are_complete():
    written = json.loads(values.LM_RUNS.read_text(encoding="utf-8"))
    assert list(written["runs"]) == list(measure_lm.plans())
    assert {tuple(by_seed) for by_seed in written["runs"].values()} == {("0", "1", "2")}
    metrics = list(measure_lm.train("none", 0, 1)[0])
    for by_seed in written["runs"].values():
        assert all(list(means) == metrics for means in by_seed.values())


def test_the_means_of_a_run():
    history = [{"reward": 9.0, "loss": math.nan}] + [{"reward": n, "loss": n} for n in range(1, 6)]
    assert measure_lm.summarise(history) == {"reward": 3.0, "loss": 3.0}  # (1 + ... + 5) / 5
    history[-1]["loss"] = math.nan
    assert measure_lm.summarise(history) == {"reward": 3.0, "loss": None}
    text = measure_lm.document(6, {("none", 0): history, ("all", 0): history})
    means = {"0": {"reward": 3.0, "loss": None}}
    runs = {"none": means, "all": means}
    assert json.loads(text) == {"steps": 6, "last": 5, "runs": runs}


def test_a_measured_run_is_a_default_training_of_what_is_planted():
    import torch

    threads = torch.get_num_threads()
    bug = next(bug for bug in judge.bugs("lm") if bug.name == "loss_sign")
    module = types.ModuleType("planted")
    exec(judge.planted("lm", [bug]), module.__dict__)
    try:
        measured = measure_lm.train("loss_sign", 1, 2)
        assert measured == module.train(steps=2, seed=1)[1]
        assert measured != measure_lm.train("none", 1, 2)
    finally:
        torch.set_num_threads(threads)
