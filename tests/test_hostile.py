"""Whatever a learner's file does, the tool comes back with one plain sentence and the other tests
still run."""

import json
import signal
import sys

import pytest

ADVANTAGES = "advantages += [(reward - mean) / (std + eps) for reward in group]"
LAST = "    return advantages\n"


def change(clone, old: str, new: str) -> int:
    """Lay a change over the right solution; returns the number of the first changed line."""
    clone.solve()
    text = clone.table.read_text(encoding="utf-8")
    assert text.count(old) == 1
    clone.table.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def check(clone) -> dict[str, tuple[str, str]]:
    """Outcome and message of each test, by its id; the tool itself must not have failed."""
    run = clone.run("check", "--json")
    assert run.stderr == ""
    assert run.returncode == 1
    tests = json.loads(run.stdout)["tests"]
    assert len(tests) == 14
    return {test["test"]: (test["outcome"], test["message"]) for test in tests}


def only(results, outcome: str, *ids: str) -> str:
    """Just the tests `ids` have this outcome, with one message for all, and the others passed."""
    assert {id_ for id_, (found, _) in results.items() if found == outcome} == set(ids)
    assert all(found == "passed" for id_, (found, _) in results.items() if id_ not in ids)
    messages = {results[id_][1] for id_ in ids}
    assert len(messages) == 1
    (message,) = messages
    assert "Traceback" not in message
    return message


def everywhere(results, outcome: str = "broken") -> str:
    return only(results, outcome, *results)


# Tests that call group_advantages; train does as well.
CALLERS = (
    "1_group_baseline",
    "2_zero_std",
    "6_padding_mask",
    "7_frozen_old",
    "decoys::test_train",
    "decoys::test_reported_clip_fraction",
)


def test_a_file_that_does_not_parse(clone):
    line = change(clone, ADVANTAGES, "advantages += [(reward - mean) / (std + eps for r in group]")
    message = everywhere(check(clone))
    assert message.startswith(f"buggy/table.py:{line} does not parse")
    assert "(std + eps for r in group]" in message


@pytest.mark.parametrize("content", [b"x = 1\n\0\n", b"\xff\xfe = 3\n", b"x = '\xe9'\n"])
def test_a_file_that_is_not_text(clone, content):
    clone.table.write_bytes(content)
    assert everywhere(check(clone)).startswith("buggy/table.py")


def test_a_file_that_does_not_import(clone):
    line = change(clone, "VOCAB = 4\n", "VOCAB = 4\nLIMIT = VOCAP + 1\n") + 1
    message = everywhere(check(clone))
    assert message == (
        "buggy/table.py does not import: NameError: name 'VOCAP' is not defined "
        f"at line {line}: `LIMIT = VOCAP + 1`."
    )


def test_an_empty_file(clone):
    clone.table.write_text("")
    results = check(clone)
    assert {outcome for outcome, _ in results.values()} == {"broken"}
    assert results["3_log_ratio"][1] == "buggy/table.py has no function grpo_loss."


def test_a_missing_file(clone):
    clone.table.unlink()
    message = everywhere(check(clone))
    assert message == "buggy/table.py is missing; `python -m kata reset` puts it back."


def test_printing_at_import_and_everywhere_changes_nothing(clone):
    change(clone, ADVANTAGES, "print('{}' * 9999)\n        " + ADVANTAGES)
    clone.table.write_text("print('hello')\n" + clone.table.read_text(encoding="utf-8"))
    run = clone.run("check", "--json")
    assert run.returncode == 0
    assert {test["outcome"] for test in json.loads(run.stdout)["tests"]} == {"passed"}


@pytest.mark.parametrize(
    "encode", [lambda t: b"\xef\xbb\xbf" + t, lambda t: t.replace(b"\n", b"\r\n")]
)
def test_a_byte_order_mark_and_windows_line_ends_work(clone, encode):
    clone.solve()
    clone.table.write_bytes(encode(clone.table.read_bytes()))
    assert clone.run("check").returncode == 0


def test_a_missing_function(clone):
    change(clone, "def group_advantages(", "def group_advantage(")
    results = check(clone)
    assert results["2_zero_std"] == (
        "broken",
        "buggy/table.py has no function group_advantages.",
    )
    assert results["3_log_ratio"][0] == "passed"


def test_another_signature(clone):
    line = change(
        clone,
        "def group_advantages(rewards, group_size, eps=1e-6):",
        "def group_advantages(rewards, eps=1e-6, *, size):",
    )
    outcome, message = check(clone)["2_zero_std"]
    assert outcome == "broken"
    assert message.startswith(
        f"buggy/table.py:{line}: group_advantages(rewards, eps=1e-06, *, size)"
    )
    assert "'size'" in message


@pytest.mark.parametrize(
    "returned, said",
    [
        ("None", "returned None where a list of 4 numbers was expected."),
        ("'all good'", "returned a str where a list of 4 numbers was expected."),
        ("(a for a in advantages)", "returned a generator where a list of 4 numbers was expected."),
        ("advantages[1:]", "returned 3 values where a list of 4 numbers was expected."),
        ("[advantages]", "returned 1 values where a list of 4 numbers was expected."),
        ("[str(a) for a in advantages]", "returned a str where a number was expected."),
        ("[[a] for a in advantages]", "returned a list where a number was expected."),
        ("[None for a in advantages]", "returned None where a number was expected."),
    ],
)
def test_a_function_that_returns_something_else(clone, returned, said):
    change(clone, LAST, f"    return {returned}\n")
    outcome, message = check(clone)["2_zero_std"]
    assert outcome == "broken"
    assert message.startswith("buggy/table.py:")
    assert message.endswith(f": group_advantages {said}")


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_nan_is_a_wrong_value(clone, value):
    change(clone, LAST, f"    return [float('{value}') for _ in advantages]\n")
    outcome, message = check(clone)["1_group_baseline"]
    assert outcome == "failed"
    assert f"gave      [{value}, {value}" in message


def test_an_exception_of_their_own(clone):
    line = change(clone, LAST, "    return advantage\n")
    message = only(check(clone), "broken", *CALLERS)
    assert message == (
        "buggy/table.py raised NameError: name 'advantage' is not defined. Did you mean: "
        f"'advantages'? at line {line}: `return advantage`."
    ) or message == (
        "buggy/table.py raised NameError: name 'advantage' is not defined "
        f"at line {line}: `return advantage`."
    )


def test_recursion_without_end(clone):
    change(clone, LAST, "    return group_advantages(rewards, group_size)\n")
    results = check(clone)
    assert results["1_group_baseline"][0] == "broken"
    assert "group_advantages calls itself without end at line" in results["1_group_baseline"][1]


@pytest.mark.parametrize("call", ["sys.exit(0)", "raise SystemExit", "exit()"])
def test_leaving_by_sys_exit(clone, call):
    change(clone, LAST, f"    import sys\n    {call}\n")
    results = check(clone)
    assert results["1_group_baseline"][0] == "broken"
    assert "group_advantages raised SystemExit at line" in results["1_group_baseline"][1]
    assert results["3_log_ratio"][0] == "passed"


@pytest.mark.parametrize("code", [0, 3])
def test_leaving_by_os_exit(clone, code):
    change(clone, LAST, f"    import os\n    os._exit({code})\n")
    message = only(check(clone), "broken", *CALLERS)
    assert message == (
        f"buggy/table.py ended the whole process (exit code {code}) instead of returning."
    )


def test_leaving_by_os_exit_at_import(clone):
    clone.table.write_text("import os\nos._exit(0)\n")
    assert "ended the whole process (exit code 0)" in everywhere(check(clone))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to die of")
def test_dying_of_a_signal(clone):
    change(clone, LAST, "    import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    message = only(check(clone), "broken", *CALLERS)
    assert f"(signal {signal.SIGKILL.value})" in message


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "GeneratorExit", "BaseException('x')"])
def test_raising_what_is_not_an_exception(clone, raised):
    change(clone, LAST, f"    raise {raised}\n")
    results = check(clone)
    assert all(results[id_][0] == "broken" for id_ in CALLERS)
    assert results["3_log_ratio"][0] == "passed"


def test_a_skip_is_no_pass(clone):
    change(clone, LAST, "    import pytest\n    pytest.skip('not today')\n")
    results = check(clone)
    assert all(results[id_][0] == "broken" for id_ in CALLERS)
    assert "group_advantages raised Skipped at line" in results["1_group_baseline"][1]


def test_looping_for_ever(clone):
    old = "    top = max(logits)\n"
    line = change(clone, old, "    while logits:\n        pass\n" + old)
    results = check(clone)
    outcome, message = results["decoys::test_rollout"]
    assert outcome == "broken"
    assert message.startswith("buggy/table.py did not come back in time, it was at line ")
    assert f"at line {line}: `while logits:`" in message or f"at line {line + 1}: `pass`" in message
    assert results["1_group_baseline"][0] == results["3_log_ratio"][0] == "passed"


def test_looping_for_ever_at_import_is_told_once(clone):
    clone.table.write_text("import time\n\ntime.sleep(1e6)\n")
    message = everywhere(check(clone))
    assert "did not come back in time, it was at line 3: `time.sleep(1e6)`" in message


def test_asking_for_input(clone):
    clone.table.write_text("name = input('who? ')\n")
    assert "at line 1: `name = input('who? ')`" in everywhere(check(clone))


def test_changing_the_arguments_is_not_seen(clone):
    change(clone, LAST, "    rewards.clear()\n" + LAST)
    assert clone.run("check", "1", "2").returncode == 0


def test_the_status_names_the_line_too(clone):
    line = change(clone, ADVANTAGES, "advantages += [(")
    run = clone.run()
    assert run.returncode == 1
    assert f"buggy/table.py:{line} does not parse" in run.stdout
    assert run.stdout.count("does not parse") == 1
    assert "Traceback" not in run.stdout + run.stderr
