"""The page reader and the planter: what they do, and what they say of a page that breaks a rule."""

from itertools import permutations

import judge
import pytest

from kata.pages import PageError, read_page, read_track
from kata.plant import plant, plant_files, put_back, read_fixed

FIXED = "first = 1\nsecond = 2\nthird = 3\nfourth = 4\nfirst_again = 1\n"


def page(diff: str, file: str = "t.py", facts: str = "ratio · `f` · level 2 · silent") -> str:
    sections = {
        "Hints": "1. Look.\n2. Compare\n   this.\n3. Count.\n",
        "Cause": diff and fence(diff, file),
    }
    titles = ["Symptom", "Hints", "Cause", "Math", "Defend it", "Dashboard", "Seen in the wild"]
    titles.append("When it is not a bug")
    body = "".join(f"## {title}\n\n{sections.get(title, '')}\n" for title in titles)
    return f"# A lesson\n\n{facts}\n\n{body}"


def fence(diff: str, file: str) -> str:
    return f"```diff {file}\n{diff}```\n"


def where(text: str, mark: str) -> str:
    """The page and line of the last line that starts with `mark`."""
    lines = text.splitlines()
    found = [n for n, line in enumerate(lines, 1) if line.startswith(mark)]
    return f"kata/t/1_a.md:{found[-1] if found else 1}: "


@pytest.fixture
def write(tmp_path):
    """Writes pages into a small project with one fixed file; returns its bugs."""
    (tmp_path / "fixed").mkdir()
    (tmp_path / "kata" / "t").mkdir(parents=True)
    (tmp_path / "fixed" / "t.py").write_text(FIXED)

    def write(**pages):
        for stem, text in pages.items():
            (tmp_path / "kata" / "t" / f"{stem[1:]}.md").write_text(text, encoding="utf-8")
        return read_track(tmp_path / "kata" / "t", tmp_path)

    return write


def test_a_page_is_read(write):
    (bug,) = write(_3_name=page("-second = 0\n+second = 2\n"))
    assert (bug.number, bug.name, bug.id) == (3, "name", "3_name")
    assert (bug.lesson, bug.kind, bug.function) == ("A lesson", "ratio", "f")
    assert (bug.level, bug.loud) == (2, False)
    assert bug.hints == ("Look.", "Compare this.", "Count.")
    assert [(diff.file, diff.lines) for diff in bug.diffs] == [
        ("t.py", ("-second = 0", "+second = 2"))
    ]


def test_pages_come_in_the_order_of_their_numbers(write):
    diff = page("-second = 0\n+second = 2\n")
    assert [bug.number for bug in write(_10_b=diff, _9_a=diff, _2_c=diff)] == [2, 9, 10]


def test_planting_is_the_same_in_any_order(write):
    bugs = write(
        _1_a=page("-first = 9\n+first = 1\n second = 2\n"),  # a context line that is another's bug
        _2_b=page("-second = 8\n-more = 8\n+second = 2\n"),
        _3_c=page("+third = 3\n fourth = 4\n"),
        _4_d=page(" fourth = 4\n-inserted = 5\n"),
    )
    wanted = "first = 9\nsecond = 8\nmore = 8\nfourth = 4\ninserted = 5\nfirst_again = 1\n"
    assert {plant(FIXED, order, "t.py") for order in permutations(bugs)} == {wanted}
    assert plant(FIXED, [], "t.py") == FIXED


@pytest.mark.parametrize(
    "text, said",
    [
        (page("-x = 0\n+nowhere = 1\n"), "they occur nowhere"),
        (page(" fourth = 5\n-x = 0\n+first = 1\n"), "they occur nowhere"),
        (page("-x = 0\n+first = 1\n", file="missing.py"), "names missing.py"),
    ],
)
def test_a_diff_that_does_not_fit(write, tmp_path, text, said):
    bugs = write(_1_a=text)
    with pytest.raises(PageError) as error:
        plant_files(tmp_path, bugs[0].diffs[0].file, bugs)
    assert str(error.value).startswith(where(text, "```diff"))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_block_that_occurs_twice(write):
    (bug,) = write(_1_a=page("-x = 0\n+second = 2\n"))
    with pytest.raises(PageError, match=r"^kata/t/1_a.md:17: .* they occur 2 times\.$"):
        plant(FIXED + "second = 2\n", [bug], "t.py")


@pytest.mark.parametrize(
    "one, other, line",
    [
        ("-x = 0\n+second = 2\n", "-y = 0\n+second = 2\n", 2),
        ("-x = 0\n+first = 1\n+second = 2\n", "-y = 0\n+second = 2\n+third = 3\n", 2),
        (" third = 3\n-x = 0\n", " third = 3\n-y = 0\n", 4),  # both insert at one place
        ("-x = 0\n+third = 3\n", " second = 2\n-y = 0\n third = 3\n", 3),
    ],
)
def test_two_bugs_that_change_the_same_lines(write, one, other, line):
    bugs = write(_1_a=page(one), _2_b=page(other))
    with pytest.raises(PageError) as error:
        plant(FIXED, bugs, "t.py")
    page_and_line, said = str(error.value).split(": ", 1)
    assert page_and_line in ("kata/t/1_a.md:17", "kata/t/2_b.md:17")
    assert said.startswith(f"changes line {line} of fixed/t.py, as does kata/t/")


GOOD = page("-x\n+y\n")


@pytest.mark.parametrize(
    "text, mark, said",
    [
        ("no title\n", "no title", "the lesson"),
        ("", "", "the lesson"),
        (GOOD.replace(" · silent", ""), "ratio", "expected: kind"),
        (GOOD.replace("ratio ·", "rations ·"), "rations", "'rations' is none of"),
        (GOOD.replace("level 2", "level 4"), "ratio", "'level 4'"),
        (GOOD.replace("· silent", "· quiet"), "ratio", "silent or loud, not 'quiet'"),
        (GOOD.replace("## Math", "## Maths"), "## Maths", "expected the section '## Math'"),
        (GOOD.split("## When")[0], "## Seen", "8 sections, found 7"),
        (GOOD.replace("3. Count.\n", ""), "## Hints", "three hints"),
        (page(""), "# ", "no diff fence"),
        (page(" x\n"), "```diff", "changes nothing"),
        (page("-x\n*y\n"), "*y", "starts with '-', '+' or a space"),
        (page("-x\n\n+y\n@@\n"), "@@", "starts with"),
        (GOOD + fence("-x\n+y\n", "t.py"), "```diff", "a second diff for t.py"),
        (page("") + "```diff t.py\n-x\n", "```diff", "not closed"),
    ],
)
def test_a_page_out_of_format(write, text, mark, said):
    with pytest.raises(PageError) as error:
        write(_1_a=text)
    assert str(error.value).startswith(where(text, mark))
    assert said in str(error.value)


def test_a_bug_is_put_back_alone_where_its_fixed_lines_stand():
    bugs = judge.bugs("table")
    for bug in bugs:
        assert put_back(judge.fixed("table"), bug, "table.py") == judge.planted("table", [bug])
        assert put_back(judge.planted("table", bugs), bug, "table.py") is None


@pytest.mark.parametrize(
    "trainer", sorted(path.stem for path in (judge.ROOT / "fixed").glob("*.py"))
)
def test_buggy_is_fixed_with_every_bug_planted(trainer):
    file = f"{trainer}.py"
    pristine = judge.planted(trainer, judge.bugs(trainer))
    assert (judge.ROOT / "buggy" / file).read_text(encoding="utf-8") == pristine, (
        f"buggy/{file} is not fixed/{file} with every bug planted. If you have edited it: that is "
        f"what it is for. To put it back: python -m kata reset --trainer {trainer}"
    )


def test_each_table_bug_is_one_hunk_of_the_fixed_file():
    import difflib

    fixed = judge.fixed("table").splitlines()
    for bug in judge.bugs("table"):
        planted = judge.planted("table", [bug]).splitlines()
        diff = list(difflib.unified_diff(planted, fixed, lineterm=""))
        assert sum(line.startswith("@@") for line in diff) == 1, bug.id


def test_a_missing_fixed_file_without_pages_is_named(tmp_path):
    with pytest.raises(Exception, match=r"fixed/t.py is missing"):
        read_fixed(tmp_path, "t.py", [])


def test_the_real_pages_are_in_format():
    for path in (judge.ROOT / "kata").glob("*/[0-9]*.md"):
        read_page(path, judge.ROOT)
