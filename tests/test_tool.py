"""The commands, as a person types them."""

import json
import os
import signal
import subprocess
import sys
import time

import judge
import pytest

NAMES = [bug.name for bug in judge.bugs("table")]


def lay(clone, *planted: int) -> None:
    """Let the learner's file have just these bugs."""
    chosen = [bug for bug in judge.bugs("table") if bug.number in planted]
    clone.table.write_text(judge.planted("table", chosen), encoding="utf-8")


def test_status_of_a_fresh_clone(clone):
    run = clone.run()
    assert run.returncode == 1
    assert "0 of 7 bugs fixed in buggy/table.py" in run.stdout
    assert "kata/table/test_1_group_baseline.py::test_group_baseline" in run.stdout
    assert "python -m kata hint" in run.stdout
    hidden = NAMES[1:] + [bug.lesson for bug in judge.bugs("table")]
    assert not [text for text in hidden if text in run.stdout]


def test_status_shows_finished_lessons_and_the_first_red_test(clone):
    lay(clone, 3, 6)
    run = clone.run("status")
    lessons = {bug.number: bug.lesson for bug in judge.bugs("table")}
    flat = " ".join(run.stdout.split())
    assert run.returncode == 1
    assert "5 of 7 bugs fixed" in flat
    assert all(lessons[n] in flat for n in (1, 2, 4, 5, 7))
    assert lessons[3] not in flat and lessons[6] not in flat
    assert "test_3_log_ratio.py" in flat and "test_6_padding_mask" not in flat
    assert "padding_mask" in clone.run("--all").stdout


def test_status_when_all_is_fixed(clone):
    clone.solve()
    run = clone.run()
    assert run.returncode == 0
    assert "7 of 7 bugs fixed" in run.stdout
    assert "✗" not in run.stdout


def test_status_when_something_right_was_changed(clone):
    clone.solve()
    text = clone.table.read_text(encoding="utf-8")
    clone.table.write_text(text.replace("total += beta * kl -", "total += -beta * kl -"))
    run = clone.run()
    assert run.returncode == 1
    assert "test_5_loss_sign" in run.stdout  # a KL sign flipped along is a near miss of bug 5
    assert "Something that was right before is not any more:" in run.stdout
    assert "test_decoys.py::test_kl" in run.stdout


@pytest.mark.parametrize("against, failed", [("buggy", 7), ("fixed", 0)])
def test_check_json(clone, against, failed):
    run = clone.run("check", "--json", "--against", against)
    report = json.loads(run.stdout)
    assert run.returncode == (1 if failed else 0)
    assert (report["trainer"], report["file"]) == ("table", f"{against}/table.py")
    outcomes = [test["outcome"] for test in report["tests"]]
    assert outcomes.count("failed") == failed
    assert outcomes.count("passed") == len(outcomes) - failed
    assert [test["bug"] for test in report["tests"] if test["bug"]] == NAMES
    assert all(bool(test["message"]) == (test["outcome"] != "passed") for test in report["tests"])


def test_check_names_tests(clone):
    lay(clone, 2)
    assert clone.run("check", "1", "log_ratio", "7_frozen_old").returncode == 0
    assert clone.run("check", "2").returncode == 1
    report = json.loads(clone.run("check", "zero_std", "5", "--json").stdout)
    assert [test["test"] for test in report["tests"]] == ["2_zero_std", "5_loss_sign"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["check", "log_ration"], "There is no bug 'log_ration'; did you mean log_ratio?"),
        (["hint", "9"], "There is no bug '9'; they are numbered 1 to 7."),
        (["explain", "pesimism"], "did you mean pessimism?"),
        (["reset", "8"], "There is no bug '8'"),
        (["plant", "--bugs", "1,x", "--into", "d"], "There is no bug 'x'"),
        (["--trainer", "tabel"], "There is no trainer 'tabel'; there are lm, table"),
        (["--against", "nowhere"], "--against nowhere: there is no such file or folder."),
        (["--against", "kata"], "The folder kata holds no table.py."),
        (["reset", "--against", "fixed"], "reset works on buggy/ only"),
        (["plant", "--bugs", "1", "--into", "pyproject.toml"], "this is not a folder"),
        (["chekc"], "invalid choice: 'chekc'"),
        (["train", "--steps", "0"], "'0' is not a whole number of at least 1"),
        (["plant", "--into", "d"], "--bugs"),
    ],
)
def test_wrong_usage(clone, arguments, said):
    run = clone.run(*arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("form", ["file", "folder"])
@pytest.mark.parametrize("place", [".", "elsewhere"])
def test_against_a_path(clone, form, place):
    folder = clone.root / place
    folder.mkdir(exist_ok=True)
    (folder / "table.py").write_text(judge.fixed("table"), encoding="utf-8")
    path = os.path.join(place, "table.py") if form == "file" else place
    assert clone.run("check", "--against", path).returncode == 0
    assert clone.run("--against", path, "check").returncode == 0


def test_options_stand_before_or_after_the_command(clone):
    assert clone.run("--against", "fixed", "check").returncode == 0
    assert clone.run("check", "--against", "fixed").returncode == 0
    assert clone.run("--against", "buggy", "check").returncode == 1


def test_it_runs_from_a_folder_inside_the_clone(clone):
    run = subprocess.run(
        [sys.executable, "-B", "-m", "kata", "check", "--against", "../fixed"],
        cwd=clone.root / "buggy",
        env=os.environ | {"PYTHONPATH": str(clone.root)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_hints_come_one_by_one_and_are_counted(clone):
    bug = judge.bugs("table")[0]
    for number in (1, 2, 3, 3):
        run = clone.run("hint")
        assert run.returncode == 0
        assert f"Hint {number} of 3 for bug 1" in run.stdout
    assert "explain 1 --spoiler" in run.stdout
    assert "Hint 1 of 3 for bug 4" in clone.run("hint", "pessimism").stdout
    stored = json.loads((clone.root / ".kata" / "hints.json").read_text())
    assert stored == {f"table/{bug.name}": 3, "table/pessimism": 1}


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"table/group_baseline": "x"}', "\0"])
def test_a_broken_store_of_hints_means_none(clone, content):
    (clone.root / ".kata").mkdir()
    (clone.root / ".kata" / "hints.json").write_text(content)
    run = clone.run("hint", "1")
    assert run.returncode == 0
    assert "Hint 1 of 3" in run.stdout


def test_hint_when_nothing_is_left(clone):
    clone.solve()
    assert clone.run("hint").returncode == 0


def test_explain_is_withheld_while_the_test_fails(clone):
    lay(clone, 3)
    run = clone.run("explain", "3")
    assert run.returncode == 1
    assert "--spoiler" in run.stderr
    assert run.stdout == ""
    told = clone.run("explain", "3", "--spoiler")
    assert told.returncode == 0
    assert "Defend it" in told.stdout
    assert clone.run("explain", "4").returncode == 0
    assert "--spoiler" in clone.run("explain").stderr  # the current bug is the third


def test_plant_writes_just_these_bugs(clone):
    for asked, numbers in (("", ()), ("1,3", (1, 3)), ("loss_sign, 7", (5, 7))):
        into = clone.root / "deep" / f"place{len(numbers)}{asked[:1]}"
        run = clone.run("plant", "--bugs", asked, "--into", str(into))
        assert run.returncode == 0
        chosen = [bug for bug in judge.bugs("table") if bug.number in numbers]
        assert (into / "table.py").read_text() == judge.planted("table", chosen)


def test_plant_does_not_overwrite(clone):
    mine = clone.root / "mine"
    mine.mkdir()
    (mine / "table.py").write_text("mine\n")
    run = clone.run("plant", "--bugs", "1", "--into", "mine")
    assert run.returncode == 1
    assert "add --yes" in run.stderr
    assert (mine / "table.py").read_text() == "mine\n"
    assert clone.run("plant", "--bugs", "1", "--into", "mine", "--yes").returncode == 0
    assert (mine / "table.py").read_text() == judge.planted("table", judge.bugs("table")[:1])


def test_train_shows_both_and_what_to_wonder_about(clone):
    run = clone.run("train")
    assert run.returncode == 0
    # The measured start and end of both runs at seed 0 (mean of the last five rewards).
    assert "buggy/table.py  0.18 → 0.87" in run.stdout
    assert "fixed/table.py  0.18 → 0.98" in run.stdout
    flat = " ".join(run.stdout.split())
    assert "buggy/table.py improves, from 0.18 to 0.87. Does a climbing reward show" in flat
    assert "The clip fraction of buggy/table.py is exactly 0 at every step." in flat


def test_train_of_one_right_fix_asks_what_it_made_up_for(clone):
    lay(clone, 3)
    flat = " ".join(clone.run("train").stdout.split())
    assert "buggy/table.py goes from 0.18 to 0.03." in flat


def test_train_takes_steps_and_seed(clone):
    run = clone.run("train", "--steps", "4", "--seed", "1", "--against", "fixed")
    assert run.returncode == 0
    assert "4/4" in run.stdout


@pytest.mark.parametrize(
    "planted, extra, said",
    [
        ((2,), "", "raised ZeroDivisionError: float division by zero at line"),
        ((), "\n\ndef train(**_):\n    raise KeyError('here')\n", "`raise KeyError('here')`."),
        ((), "\n\ndef train(**_):\n    import os\n    os._exit(0)\n", "(exit code 0)"),
        ((), "\n\ndel train\n", "has no function train"),
        ((), "\n\ndef train(**_):\n    return 3\n", "returned a int where theta and a history"),
        ((), "\n\n(\n", "does not parse"),
    ],
)
def test_train_tells_what_the_trainer_raised(clone, planted, extra, said):
    lay(clone, *planted)
    with clone.table.open("a") as file:
        file.write(extra)
    run = clone.run("train")
    assert run.returncode == 1
    assert said in run.stderr
    assert run.stderr.startswith("buggy/table.py")
    assert len(run.stderr.splitlines()) == 1


def test_plain_pytest_means_the_same(clone):
    assert "7 failed, 7 passed" in clone.pytest("kata/table").stdout
    assert "14 passed" in clone.pytest("kata/table", "--against", "fixed").stdout
    assert "14 passed" in clone.pytest("kata", "--trainer", "table", "--against", "fixed").stdout
    assert "1 failed" in clone.pytest("kata/table", "-x").stdout.splitlines()[-1]
    chosen = clone.pytest("kata/table", "-k", "pessimism").stdout.splitlines()[-1]
    assert "1 failed, 13 deselected" in chosen


def test_plain_pytest_on_wrong_options(clone):
    run = clone.pytest("kata/table", "--against", "nowhere")
    assert run.returncode == 4
    assert "--against nowhere: there is no such file or folder." in run.stderr
    assert "Traceback" not in run.stderr


def test_a_debugger_stops_in_the_learners_line(clone):
    clone.solve()
    text = clone.table.read_text(encoding="utf-8")
    clone.table.write_text(text.replace("    return advantages\n", "    return 1 // 0\n"))
    run = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "kata/table", "-x", "--pdb"],
        cwd=clone.root,
        input="p len(group)\nq\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "-> return 1 // 0" in run.stdout
    assert "(Pdb) 3" in run.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="sends the signal of Ctrl-C")
def test_watch_survives_broken_files_and_stays_on_success(clone):
    watching = Watching(clone)
    try:
        watching.wait_for("0 of 7 bugs fixed")
        for text, said in (
            ("def (:\n", "does not parse"),
            ("import os\nos._exit(1)\n", "ended the whole process"),
            (judge.planted("table", judge.bugs("table")[2:3]), "6 of 7 bugs fixed"),
        ):
            clone.table.write_text(text, encoding="utf-8")
            watching.wait_for(said)
        clone.table.unlink()
        watching.wait_for("buggy/table.py is missing")
        clone.solve()
        watching.wait_for("All 7 bugs are fixed")
        assert watching.process.wait(10) == 0
    finally:
        watching.process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="sends the signal of Ctrl-C")
def test_watch_ends_on_ctrl_c(clone):
    watching = Watching(clone)
    watching.wait_for("Ctrl-C ends it")
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(10) == 130
    assert "Traceback" not in watching.file.read_text(encoding="utf-8")


class Watching:
    """`kata watch` in the background, its output in a file."""

    def __init__(self, clone):
        self.file = clone.root / "watched.txt"
        self.seen = 0
        with self.file.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-B", "-m", "kata", "watch"],
                cwd=clone.root,
                stdout=out,
                stderr=out,
                env=os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
            )

    def wait_for(self, said: str) -> None:
        """Wait until the new part of the output says this."""
        for _ in range(300):
            text = self.file.read_text(encoding="utf-8")
            if said in text[self.seen :]:
                self.seen = len(text)
                time.sleep(0.3)  # the tool goes back to watching
                return
            assert self.process.poll() is None, text
            time.sleep(0.1)
        raise AssertionError(f"{said!r} did not come in {text[self.seen :]!r}")
