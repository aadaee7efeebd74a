"""docs/sightings.md is what the pages cite, and every page cites something or says why not."""

import sys

import judge
import pytest

DOCS = judge.ROOT / "docs"
sys.path.insert(0, str(DOCS))
import sightings  # noqa: E402

BUGS = [(track, bug) for track in sightings.TRACKS for bug in judge.bugs(track)]
SECTION = """\
- [one #1](https://github.com/a/one/issues/1): the first thing; fixed by
  [#2](https://github.com/a/one/pull/2).
- Cousin: [two #3][two], nearly a | b. No report of exactly this was found.

See also [math](../math.md) and [code](https://github.com/c/three).

[two]: https://github.com/b/two/issues/3
"""


def test_the_table_is_made_from_the_pages():
    written = (DOCS / "sightings.md").read_text(encoding="utf-8")
    stale = "docs/sightings.md is stale: python docs/sightings.py"
    assert written == sightings.assemble(), stale


@pytest.mark.parametrize("track, bug", BUGS, ids=[f"{track}-{bug.id}" for track, bug in BUGS])
def test_a_page_cites_a_report_or_says_that_none_was_found(track, bug):
    cited = sightings.sightings(track, bug)
    assert cited or sightings.says_none(bug), f"{bug.page} cites nothing in 'Seen in the wild'"


def test_a_section_is_read_item_by_item():
    first, second, third = sightings.items(SECTION)
    assert sightings.links(first, SECTION) == [
        "https://github.com/a/one/issues/1",
        "https://github.com/a/one/pull/2",
    ]
    assert sightings.links(second, SECTION) == ["https://github.com/b/two/issues/3"]
    assert sightings.links(third, SECTION) == ["../math.md", "https://github.com/c/three"]


def test_a_line_is_the_pages_own_without_its_links():
    first, second, _ = sightings.items(SECTION)
    assert sightings.plain(first) == "The first thing; fixed by #2."
    assert sightings.plain(second).startswith(r"Cousin: two #3, nearly a \| b.")
