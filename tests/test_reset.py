"""`reset` never loses work."""

import os
import signal
import subprocess
import sys
import textwrap

import judge
import pytest

BUGS = judge.bugs("table")
PRISTINE = judge.planted("table", BUGS)


def backups(clone) -> list[str]:
    return [
        path.read_bytes().decode("utf-8", "surrogateescape")
        for path in (clone.root / ".kata" / "backups").glob("*")
    ]


def test_it_shows_the_change_and_asks(clone):
    clone.solve()
    before = clone.table.read_text()
    for answer in ("n\n", "\n", "", "perhaps\n"):
        run = clone.run("reset", stdin=answer)
        assert run.returncode == 1
        assert "-            ratio = math.exp(new - old)" in run.stdout
        assert "+            ratio = new / old" in run.stdout
        assert clone.table.read_text() == before
        assert backups(clone) == []


@pytest.mark.parametrize("arguments, answer", [(["--yes"], ""), ([], "y\n"), ([], "YES\n")])
def test_it_puts_the_whole_file_back_and_keeps_a_backup(clone, arguments, answer):
    clone.table.write_text("my own work\n")
    run = clone.run("reset", *arguments, stdin=answer)
    assert run.returncode == 0
    assert clone.table.read_text() == PRISTINE
    assert backups(clone) == ["my own work\n"]


def test_it_puts_one_bug_back_and_leaves_the_rest(clone):
    clone.solve()
    mine = clone.table.read_text().replace("import math", "import math  # mine")
    clone.table.write_text(mine)
    assert clone.run("reset", "3", "loss_sign", "--yes").returncode == 0
    chosen = [bug for bug in BUGS if bug.number in (3, 5)]
    wanted = judge.planted("table", chosen).replace("import math", "import math  # mine")
    assert clone.table.read_text() == wanted
    assert backups(clone) == [mine]


def test_a_fix_in_other_words_is_not_guessed_at(clone):
    clone.solve()
    mine = clone.table.read_text().replace("math.exp(new - old)\n", "math.e ** (new - old)\n")
    clone.table.write_text(mine)
    run = clone.run("reset", "3", stdin="n\n")
    assert run.returncode == 1
    assert "Bug 3 cannot be put back alone" in run.stdout
    assert "Put the whole of buggy/table.py back" in run.stdout
    assert clone.table.read_text() == mine
    assert clone.run("reset", "3", "--yes").returncode == 1  # a script gets nothing it did not name
    assert clone.table.read_text() == mine
    assert clone.run("reset", "3", stdin="y\ny\n").returncode == 0
    assert clone.table.read_text() == PRISTINE
    assert backups(clone) == [mine]


def test_nothing_to_put_back(clone):
    run = clone.run("reset")
    assert run.returncode == 0
    assert "as it was published" in run.stdout
    assert backups(clone) == []


def test_windows_line_ends_and_odd_bytes_are_kept(clone):
    clone.solve()
    mine = clone.table.read_bytes().replace(b"\n", b"\r\n") + b"# \xe9\r\n"
    clone.table.write_bytes(mine)
    assert clone.run("reset", "3", "--yes").returncode == 0
    wanted = judge.planted("table", [BUGS[2]]).encode().replace(b"\n", b"\r\n") + b"# \xe9\r\n"
    assert clone.table.read_bytes() == wanted


def test_a_missing_file_comes_back(clone):
    clone.table.unlink()
    assert clone.run("reset", "--yes").returncode == 0
    assert clone.table.read_text() == PRISTINE


def test_what_cannot_be_written_is_one_sentence(clone):
    clone.solve()
    mine = clone.table.read_text()
    (clone.root / ".kata").write_text("a file in the way of the folder")
    run = clone.run("reset", "--yes")
    assert run.returncode == 3
    assert "could not be written" in run.stderr
    assert "Traceback" not in run.stderr
    assert clone.table.read_text() == mine


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
@pytest.mark.parametrize("call", ["open", "fsync", "chmod", "replace"])
def test_killing_it_at_any_moment_leaves_the_old_or_the_new_file(clone, call):
    clone.solve()
    mine = clone.table.read_text()
    # The process kills itself at its n-th call of one kind, for every n until it gets through.
    program = textwrap.dedent(
        f"""
        import os, signal, sys
        left = int(sys.argv.pop(1))
        real = os.{call}

        def deadly(*args, **kwargs):
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        os.{call} = deadly
        from kata.__main__ import main
        sys.exit(main(sys.argv[1:]))
        """
    )
    killed = 0
    for n in range(50):
        clone.table.write_text(mine)
        code = subprocess.run(
            [sys.executable, "-B", "-c", program, str(n), "reset", "--yes"],
            cwd=clone.root,
            capture_output=True,
            timeout=60,
            env=os.environ | {"PYTHONPATH": str(clone.root)},
        ).returncode
        assert clone.table.read_text() in (mine, PRISTINE)
        assert not backups(clone) or mine in backups(clone)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
    assert clone.table.read_text() == PRISTINE
    assert killed > 0
