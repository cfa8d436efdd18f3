"""Diffs: applying them gives the new file, and they have as few lines as possible."""

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.cli.linting.diffs import diff_lines
from canfetch.cli.linting.line_diff import find_changes

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b""]), max_size=12)
# Few distinct lines are hard to align, and many distinct ones are easy.
LONG = st.lists(st.integers(0, 40), max_size=80)
CONTENT = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\n", b"c\n", b"d"]), max_size=30).map(b"".join)


def apply(old: list[object], new: list[object]) -> list[object]:
    result: list[object] = []
    line = 0
    for change in find_changes(old, new):
        result += old[line : change.old_start]
        assert len(result) == change.new_start
        result += new[change.new_start : change.new_end]
        line = change.old_end
    return result + old[line:]


def fewest_changed_lines(old: list[object], new: list[object]) -> int:
    @cache
    def common(first: int, second: int) -> int:
        if first == len(old) or second == len(new):
            return 0
        if old[first] == new[second]:
            return 1 + common(first + 1, second + 1)
        return max(common(first + 1, second), common(first, second + 1))

    return len(old) + len(new) - 2 * common(0, 0)


@given(LINES | LONG, LINES | LONG)
def test_changes_lead_from_old_to_new(old: list[object], new: list[object]) -> None:
    assert apply(old, new) == new


@given(LINES, LINES)
def test_changed_lines_are_as_few_as_possible(old: list[object], new: list[object]) -> None:
    changes = find_changes(old, new)
    assert sum(one.old_end - one.old_start + one.new_end - one.new_start for one in changes) == fewest_changed_lines(
        old, new
    )
    for one, following in pairwise(changes):
        assert one.old_end < following.old_start


@given(LONG, st.sets(st.integers(0, 79)))
def test_removed_lines_are_the_only_changes(old: list[object], removed: set[int]) -> None:
    new = [line for index, line in enumerate(old) if index not in removed]
    assert sum(one.old_end - one.old_start + one.new_end - one.new_start for one in find_changes(old, new)) == (
        len(old) - len(new)
    )


def patch(before: bytes, lines: list[str]) -> list[bytes]:
    """Apply a unified diff of ASCII lines, and return the new lines."""
    old = before.splitlines()
    result: list[bytes] = []
    line = 0
    for text in lines[2:]:
        if text.startswith("@@"):
            start, _, length = text.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            result += old[line:first]
            line = first
        elif text.startswith("+"):
            result.append(text[1:-1].encode())
        elif not text.startswith("\\"):
            assert old[line] == text[1:-1].encode()
            if text.startswith(" "):
                result.append(old[line])
            line += 1
    return result + old[line:]


@given(CONTENT, CONTENT)
def test_diff_can_be_applied(before: bytes, after: bytes) -> None:
    assert patch(before, list(diff_lines("robots.txt", before, after))) == after.splitlines()


@pytest.mark.parametrize(
    "before, after, lines",
    [
        (b"a\n", b"a\n", []),
        (b"a\r\n", b"a\n", []),
        (b"a", b"a\n", ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"]),
        (b"", b"a\n", ["@@ -0,0 +1 @@", "+a"]),
        (b"a\n", b"", ["@@ -1 +0,0 @@", "-a"]),
        (
            b"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            b"1\n2\n3\n4\nX\n6\n7\n8\n9\n",
            ["@@ -2,7 +2,7 @@", " 2", " 3", " 4", "-5", "+X", " 6", " 7", " 8"],
        ),
        (
            b"a\n" + b"=\n" * 7 + b"b\n",
            b"=\n" * 7,
            ["@@ -1,4 +1,3 @@", "-a", " =", " =", " =", "@@ -6,4 +5,3 @@", " =", " =", " =", "-b"],
        ),
    ],
)
def test_unified_diff(before: bytes, after: bytes, lines: list[str]) -> None:
    header = ["--- robots.txt", "+++ robots.txt"] if lines else []
    assert [line[:-1] for line in diff_lines("robots.txt", before, after)] == header + lines


def test_large_files_have_small_diffs() -> None:
    old = [b"Disallow: /%d" % number for number in range(20_000)]
    new = [line for number, line in enumerate(old) if number % 11]
    changes = find_changes(old, new)
    assert sum(one.old_end - one.old_start + one.new_end - one.new_start for one in changes) == len(old) - len(new)


@pytest.mark.slow
@pytest.mark.parametrize(
    "old, new",
    [
        ([b"a", b"b"] * 60_000, [b"b", b"c", b"a"] * 40_000),
        (
            [b"%d" % (number * number % 1009) for number in range(60_000)],
            [b"%d" % (number % 997) for number in range(60_000)],
        ),
        ([b"%d" % number for number in range(50_000)], [b"%d" % number for number in range(50_000, 0, -1)]),
        ([b""] * 500_000, [b"x"] * 200_000),
    ],
    ids=["few lines", "many lines", "reversed", "nothing in common"],
)
def test_hostile_files_take_a_bounded_number_of_steps(old: list[object], new: list[object]) -> None:
    assert apply(old, new) == new
