"""Tar files: damaged headers, links, and files that are not regular."""

import gzip
import io
import tarfile
from collections.abc import Sequence

import pytest
from tests.bulk.captured_items import faults
from tests.bulk.traced_memory import with_peak_memory
from tests.bulk.warc_files import RULES

from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.tar_files import TarLinks, hard_link, normal_path, read_tar, symbolic_link

HOSTS = ("a.example", "b.example", "c.example", "d.example")


def member(
    name: str, content: bytes = RULES, *, kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(content)
    return info, content


def hard(name: str, link: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, b"", kind=tarfile.LNKTYPE, link=link)


def symbolic(name: str, link: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, b"", kind=tarfile.SYMTYPE, link=link)


def make(members: Sequence[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.GNU_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def read(content: bytes) -> list[Capture | Fault]:
    return list(read_tar(io.BytesIO(content), "x.tar", lambda _: None))


def files(items: list[Capture | Fault]) -> dict[str, bytes]:
    return {item.owner: item.content for item in items if isinstance(item, Capture)}


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_a_damaged_header_costs_one_file(number: int, *, is_compressed: bool) -> None:
    content = bytearray(make([member(f"{host}.txt") for host in HOSTS]))
    content[1024 * number + 2] ^= 0x55
    items = read(gzip.compress(content, mtime=0) if is_compressed else bytes(content))
    assert list(files(items)) == [host for host in HOSTS if host != HOSTS[number]]
    # Nothing shows whether files follow the last one.
    until, is_end = ("the end", True) if number == 3 else ("the next valid header", False)
    assert faults(items) == [Fault("x.tar", 1024 * number, f"damaged or cut up to {until}", is_end, lost=None)]


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_damaged_header_after_one_with_a_long_name(form: int) -> None:
    members = [member("a.example.txt"), member(f"{'x' * 200}/b.example/robots.txt"), member("c.example.txt")]
    content = make(members, form)
    assert list(files(read(content))) == ["a.example", "b.example", "c.example"]
    # The file before, after which the long name is complete.
    damaged = bytearray(content)
    damaged[2] ^= 0x55
    items = read(bytes(damaged))
    assert (list(files(items)), len(faults(items))) == (["b.example", "c.example"], 1)
    # The header with the long name, after which the file has only a part of it, and that of the file.
    for block, count in ((2, 2), (4, 1)):
        damaged = bytearray(content)
        damaged[512 * block + 2] ^= 0x55
        items = read(bytes(damaged))
        assert list(files(items)) == ["a.example", "c.example"]
        assert [fault.is_end for fault in faults(items)] == [False] * count


@pytest.mark.slow
def test_every_byte_of_a_header() -> None:
    content = make([member(f"{host}.txt") for host in HOSTS[:3]])
    for offset in range(1024, 1536):
        damaged = bytearray(content)
        damaged[offset] ^= 0x55
        items = read(bytes(damaged))
        assert files(items).keys() >= {"a.example", "c.example"}, offset
        assert "b.example" in files(items) or faults(items), offset
        assert set(files(items).values()) == {RULES}, offset


def test_links_have_the_content_of_their_target() -> None:
    other = b"User-agent: *\nDisallow: /b\n"
    items = read(
        make(
            [
                symbolic("robots/early.example.txt", "b.example.txt"),
                symbolic("robots/chain.example.txt", "./early.example.txt"),
                member("robots/a.example.txt"),
                hard("robots/hard.example.txt", "robots/a.example.txt"),
                member("./robots/b.example.txt", other),
                symbolic("robots/c.example/robots.txt", "../hard.example.txt"),
                member("robots/empty.example.txt", b""),
                hard("robots/none.example.txt", "robots/empty.example.txt"),
            ]
        )
    )
    assert not faults(items)
    assert files(items) == {
        "a.example": RULES,
        "hard.example": RULES,
        "b.example": other,
        "early.example": other,
        "chain.example": other,
        "c.example": RULES,
        "empty.example": b"",
        "none.example": b"",
    }


def test_links_without_a_file_are_set_aside() -> None:
    items = read(
        make(
            [
                symbolic("r/out.example.txt", "../../etc/passwd"),
                symbolic("r/root.example.txt", "/etc/passwd"),
                hard("r/late.example.txt", "r/a.example.txt"),
                symbolic("r/loop.example.txt", "pool.example.txt"),
                symbolic("r/pool.example.txt", "loop.example.txt"),
                symbolic("r/folder.example", "a.example"),
                member("r/a.example", b"", kind=tarfile.DIRTYPE),
                member("r/pipe.example.txt", b"", kind=tarfile.FIFOTYPE),
                member("r/a.example.txt"),
            ]
        )
    )
    assert list(files(items)) == ["a.example"]
    unresolved = "which is not a file of the archive, or no longer in memory"
    assert sorted(fault.reason for fault in faults(items)) == [
        "r/folder.example: a link to r/a.example, " + unresolved,
        "r/late.example.txt: a link to r/a.example.txt, whose content is not in memory: extract the archive",
        "r/loop.example.txt: a link to r/pool.example.txt, " + unresolved,
        "r/out.example.txt: a link to ../etc/passwd, which is not in the archive",
        "r/pipe.example.txt: not a regular file",
        "r/pool.example.txt: a link to r/loop.example.txt, " + unresolved,
        "r/root.example.txt: a link to /etc/passwd, which is not in the archive",
    ]
    assert not any(fault.is_end for fault in faults(items))


def test_the_contents_of_links_are_bounded() -> None:
    links = TarLinks(max_bytes=25)
    assert not list(links.add_link(symbolic_link("early", "file", 0), may_wait=True))
    assert [found for _, found in links.add_file("file", b"x" * 10)] == [b"x" * 10]
    found = [list(links.add_link(hard_link(name, "file", 1), may_wait=False)) for name in ("second", "third")]
    assert found[0] == [(hard_link("second", "file", 1), b"x" * 10)]
    assert "the contents of all links are too large" in str(found[1][0][1])


def test_old_contents_are_dropped() -> None:
    links = TarLinks()
    for number in range(40):
        list(links.add_file(f"{number}", bytes(1 << 20)))
    assert isinstance(next(links.add_link(hard_link("x", "0", 0), may_wait=False))[1], str)
    assert next(links.add_link(hard_link("x", "39", 0), may_wait=False))[1] == bytes(1 << 20)
    assert normal_path("./a//b/") == "a/b"


@pytest.mark.slow
def test_a_long_name_takes_little_memory() -> None:
    size = 8 << 20
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, size
    content = gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(size) + make([member("a.example.txt")]), mtime=0)
    items, peak = with_peak_memory(lambda: read(content))
    assert list(files(items)) == ["a.example"]
    assert len(faults(items)) == 1
    assert peak < 6 << 20


def extended_header(content: bytes = b"30 mtime=1350244992.023960108\n", kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return an extended header, which is valid for any number of files."""
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, len(content)
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def with_headers(headers: bytes) -> bytes:
    """Return a tar file with extended headers between two files."""
    first, last = (make([member(f"{host}.txt")]) for host in ("a.example", "b.example"))
    return first[:1024] + headers + last


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_many_extended_headers_cost_no_other_file(kind: bytes) -> None:
    content = b"b.example.txt\0" if kind == tarfile.GNUTYPE_LONGNAME else b"30 mtime=1350244992.023960108\n"
    header = extended_header(content, kind)
    assert not faults(read(with_headers(header * 16)))
    items = read(with_headers(header * 1000))
    assert list(files(items)) == ["a.example", "b.example"]
    assert [fault.is_end for fault in faults(items)] == [False]


def sparse_header() -> bytes:
    """Return the extended headers of a sparse file whose map is cut."""
    fields = {"major": "1", "minor": "0", "name": "s.example.txt", "realsize": "99"}
    records = b""
    for name, value in fields.items():
        record = f" GNU.sparse.{name}={value}\n"
        records += f"{len(record) + 2}{record}".encode()
    number = b"100000000\n" + b"0\n0\n" * 100
    return extended_header(records) + make([member("s.example.txt", number)])[:1024]


@pytest.mark.parametrize(
    "headers, reason",
    [
        (
            extended_header(b"16 size=-100000\n") + make([member("n.example.txt")])[:1024],
            "damaged or cut up to the next valid header",
        ),
        (sparse_header(), "s.example.txt: not a regular file"),
    ],
    ids=["negative", "sparse"],
)
def test_a_header_that_is_refused_costs_no_other_file(headers: bytes, reason: str) -> None:
    items = read(with_headers(headers))
    assert list(files(items)) == ["a.example", "b.example"]
    assert [(fault.reason, fault.is_end) for fault in faults(items)] == [(reason, False)]


def test_files_that_are_not_of_a_host() -> None:
    names = ("_SUCCESS", "x/_metadata", ".DS_Store", "README.md", "x/LICENSE", "readme.md")
    data = make([member(name) for name in names])
    items = list(read_tar(io.BytesIO(data), "x.tar", lambda _: None))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["readme.md"]
    faults = [item.reason for item in items if isinstance(item, Fault)]
    assert faults == [f"{name}: documentation by its name, and not a robots.txt" for name in ("README.md", "x/LICENSE")]
