"""Releases of the registry: their file, their signature, what the library reads, and what the commands print."""

import base64
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from tests.servers.valid import respond
from tests.servers.web import Site

import build_registry_release
from canfetch import repository
from canfetch.agents.releases import (
    MAX_RELEASE_BYTES,
    Release,
    builtin_release,
    current_release,
    parse_release,
)
from canfetch.agents.validation import validate_crawler
from canfetch.answers.registry_changes import compare_releases, report_release
from canfetch.cli.registry.releases import update_command
from canfetch.client import registry_update
from canfetch.client.registry_update import (
    NoLaterRelease,
    install_release,
    parse_release_key,
    pinned_keys,
    verify_release,
)
from canfetch.core.document import parse
from canfetch.errors import InvalidRegistry

ROOT = Path(__file__).parents[2]
OWN = {"tokens": ["FishBot"], "operator": "Fish", "purposes": ["research"], "source": "https://fish.example/bot"}
LATER = "2999-01-01"
OBEYS = {"field": "obeys", "source": "https://fish.example/robots", "checked": "2025-02-01"}
SIGNER, OTHER_SIGNER = (Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)) for number in (1, 2))


def content(version: str = LATER, *crawlers: Any, **others: Any) -> bytes:
    plain = {"schema": "canfetch.registry/1", "version": version, "crawlers": list(crawlers or (OWN,)), **others}
    return json.dumps(plain).encode()


def signature(signed: bytes, signer: Ed25519PrivateKey = SIGNER) -> bytes:
    return base64.b64encode(signer.sign(signed)) + b"\n"


def release(*crawlers: dict[str, Any]) -> Release:
    return parse_release(content(LATER, *crawlers))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("CANFETCH_REGISTRY", raising=False)
    return tmp_path / "canfetch" / "registry.json"


def install(path: Path, new: bytes, signed: bytes | None = None, **options: bool) -> Release:
    signed = signature(new) if signed is None else signed
    return install_release(str(path), new, signed, [SIGNER.public_key()], **options)


def test_entries_of_the_package_are_valid() -> None:
    builtin = builtin_release()
    for crawler in builtin.crawlers:
        validate_crawler(crawler)
    assert parse_release((ROOT / "src/canfetch/agents/registry.json").read_bytes()) == builtin


@pytest.mark.parametrize(
    "change, message",
    [
        (b"{", "the registry is not valid JSON: "),
        (b"[" * 100_000, "the registry is not valid JSON: "),
        (b"[]", "not a registry: expected an object with the schema 'canfetch.registry/1'"),
        (b"{}", "not a registry: "),
        (b" " * (MAX_RELEASE_BYTES + 1), "the registry has more than 8 MiB"),
        (content("20991231"), "version '20991231': expected a date such as 2026-11-20"),
        (content(crawlers=[]), "the registry has no crawlers"),
        (content(crawlers={}), "crawlers: expected a list of at most 10,000 entries"),
        (content(LATER, OWN, 7), "crawlers, entry 2: expected a table"),
        (content(LATER, {**OWN, "token": 1}), "crawlers, entry 1: unknown key 'token': did you mean 'tokens'?"),
        (content(LATER, {**OWN, "purposes": ["fishing"]}), "entry 1: crawler 'FishBot': unknown purpose 'fishing'"),
        (content(LATER, {**OWN, "headers": [{"value": "x"}]}), "headers: missing key 'source'"),
        (content(LATER, {**OWN, "headers": [7]}), "invalid headers"),
        (content(LATER, OWN, {**OWN, "tokens": ["fishbot"]}), "two crawlers are named 'fishbot'"),
        (content(other_headers=[{"value": 7, "source": "x"}]), "other_headers, entry 1: headers: missing key 'value'"),
        (content(other_headers=[7]), "other_headers, entry 1: headers: expected tables"),
        (content(other_headers=[{"value": "", "source": "x"}]), "other_headers, entry 1: invalid header"),
        (content(other_headers=[{"value": "a", "source": "x", "source_kind": "b"}]), "entry 1: invalid header"),
        (content(LATER, {**OWN, "verification": {"host_names": 7}}), "invalid verification.host_names 7"),
        (content(LATER, {**OWN, "verification": {"address_lists": "a"}}), "invalid verification.address_lists 'a'"),
        (content(LATER, {**OWN, "verification": {"note": 7}}), "expected a str as the note"),
        (content(LATER, {**OWN, "field_sources": [{"field": "obeys"}]}), "field_sources: missing key 'source'"),
        (content(LATER, {**OWN, "field_sources": [{**OBEYS, "date": 1}]}), "field_sources: unknown key 'date'"),
        (content(LATER, {**OWN, "field_sources": [7]}), "invalid field_sources"),
        (content(LATER, {**OWN, "field_sources": [OBEYS, OBEYS]}), "at most once"),
        (content(LATER, {**OWN, "field_sources": [{**OBEYS, "field": "fish"}]}), "each of tokens, operator"),
        (content(LATER, {**OWN, "field_sources": [{**OBEYS, "checked": "soon"}]}), "with a source and a date"),
        (content(LATER, {**OWN, "headers": [{"value": "x", "source": "y", "checked": "z"}]}), "expected dates such as"),
        (content(other_headers=[{"value": "a", "source": "x", "checked": "b"}]), "entry 1: invalid header"),
    ],
)
def test_invalid_releases(change: bytes, message: str) -> None:
    with pytest.raises(InvalidRegistry) as caught:
        parse_release(change)
    assert message in str(caught.value)


def test_a_later_release_is_installed_and_read(installed: Path) -> None:
    assert current_release() == builtin_release()
    release = install(installed, content())
    assert [crawler.name for crawler in current_release().crawlers] == ["FishBot"]
    assert current_release() == release
    assert [oct(one.stat().st_mode & 0o777) for one in (installed.parent, installed.parent.parent / "canfetch")] == [
        "0o700"
    ] * 2


@pytest.mark.parametrize("version", ["2000-01-01", builtin_release().version])
def test_a_release_that_is_not_later_is_neither_installed_nor_read(installed: Path, version: str) -> None:
    with pytest.raises(NoLaterRelease, match="is not later than that in use"):
        install(installed, content(version))
    installed.write_bytes(content(version))
    assert current_release() == builtin_release()


@pytest.mark.parametrize("lost", [b"", b"{", None])
def test_an_older_release_is_refused_although_the_installed_one_is_lost(installed: Path, lost: bytes | None) -> None:
    install(installed, content())
    if lost is None:
        installed.unlink()
    else:
        installed.write_bytes(lost)
    with pytest.raises(NoLaterRelease, match=f"is older than one that was installed, of {LATER}"):
        install(installed, content("2998-12-31"))
    install(installed, content())
    with pytest.raises(NoLaterRelease, match="is not later than that in use"):
        install(installed, content("2000-01-01"), allow_older=True)
    install(installed, content("2998-12-31"), allow_older=True)
    assert current_release().version == "2998-12-31"
    # The date of that one counts from now on.
    install(installed, content("2998-12-30"), allow_older=True)
    assert install(installed, content("2998-12-31")).version == "2998-12-31"


@pytest.mark.parametrize(
    "signed, message",
    [
        (signature(content("2999-01-02")), "the signature does not fit"),
        (signature(content(), OTHER_SIGNER), "the signature does not fit"),
        (b"AAAA", "the signature does not fit"),
        (b"\xff", "the signature is not base64"),
        (b"", "the signature does not fit"),
    ],
)
def test_what_is_not_signed_is_not_installed(installed: Path, signed: bytes, message: str) -> None:
    with pytest.raises(InvalidRegistry, match=message):
        install(installed, content(), signed)
    assert not installed.exists()


def test_a_signed_release_that_is_invalid_is_not_installed(installed: Path) -> None:
    install(installed, content())
    with pytest.raises(InvalidRegistry, match="has no crawlers"):
        install(installed, content("2999-02-01", crawlers=[]))
    assert current_release().version == LATER


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return a function that uses the keys that the tool has pinned, in a copy of the file, and returns them."""
    copy = tmp_path / "repository.py"
    shutil.copy(build_registry_release.PINS, copy)
    monkeypatch.setattr(build_registry_release, "PINS", copy)

    def use() -> list[str]:
        keys = runpy.run_path(str(copy))["RELEASE_KEYS"]
        for module in (registry_update, repository):
            monkeypatch.setattr(module, "RELEASE_KEYS", keys)
        return list(keys)

    return use


def build(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["build_registry_release.py", *map(str, arguments)])
    return build_registry_release.main()


def test_a_key_is_made_pinned_and_replaced(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pins: Callable[[], list[str]]
) -> None:
    first, second, folder = tmp_path / "first.pem", tmp_path / "second.pem", tmp_path / "out"
    assert build(monkeypatch, "--new-key", first) == 0
    assert first.stat().st_mode & 0o777 == 0o600
    (one,) = pins()
    assert build(monkeypatch, folder, "--key", first) == 0
    (release,) = folder.glob("registry-*.json")
    built, signed = release.read_bytes(), Path(f"{release}.sig").read_bytes()
    verify_release(built, signed, pinned_keys())
    # For a time, two keys are pinned, and either may sign.
    assert build(monkeypatch, "--new-key", second) == 0
    assert pins()[0] == one
    verify_release(built, signed, pinned_keys())
    assert build(monkeypatch, folder, "--key", second) == 0
    assert Path(f"{release}.sig").read_bytes() != signed
    verify_release(built, Path(f"{release}.sig").read_bytes(), pinned_keys())
    # `canfetch agents update` uses them without --key.
    later = content()
    (tmp_path / "r.json").write_bytes(later)
    (tmp_path / "r.json.sig").write_bytes(signature(later, build_registry_release.read_key(second)))
    ran = CliRunner().invoke(update_command, [str(tmp_path / "r.json")], standalone_mode=False)
    assert (ran.return_value, installed.read_bytes()) == (0, later)
    # Without its pin, the first key signs nothing, and what it has signed is refused.
    text = build_registry_release.PINS.read_text(encoding="utf-8")
    build_registry_release.PINS.write_text(text.replace(f'    "{one}",\n', ""), encoding="utf-8")
    assert len(pins()) == 1
    with pytest.raises(InvalidRegistry, match="does not fit"):
        install_release(str(installed), built, signed, pinned_keys())
    with pytest.raises(SystemExit):
        build(monkeypatch, folder, "--key", first)


def test_a_private_key_is_neither_replaced_nor_written_to_the_checkout(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pins: Callable[[], list[str]],
) -> None:
    (tmp_path / "key.pem").write_bytes(b"x")
    with pytest.raises(FileExistsError):
        build(monkeypatch, "--new-key", tmp_path / "key.pem")
    with pytest.raises(SystemExit):
        build(monkeypatch, "--new-key", ROOT / "docs" / "key.pem")
    assert "is in the checkout" in capsys.readouterr().err
    assert pins() == list(repository.RELEASE_KEYS)
    assert not (ROOT / "docs" / "key.pem").exists()


def test_an_encrypted_private_key_needs_its_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "key.pem"
    key.write_bytes(SIGNER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"fish")))
    monkeypatch.setattr("getpass.getpass", lambda _: "fish")
    with pytest.raises(SystemExit):
        build(monkeypatch, tmp_path / "out", "--key", key)
    assert "is not in RELEASE_KEYS" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert build(monkeypatch, tmp_path / "out", "--key", key, "--unpinned") == 0
    (signature_file,) = (tmp_path / "out").glob("*.sig")
    verify_release(signature_file.with_suffix("").read_bytes(), signature_file.read_bytes(), [SIGNER.public_key()])


def test_keys_of_other_kinds_are_refused() -> None:
    with pytest.raises(InvalidRegistry, match="not a public Ed25519 key"):
        parse_release_key("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n")


@pytest.mark.parametrize("damaged", [b"", b"{", content(crawlers=[])])
def test_a_damaged_release_is_reported_and_not_read(installed: Path, damaged: bytes) -> None:
    install(installed, content())
    installed.write_bytes(damaged)
    with pytest.warns(RuntimeWarning, match="is not read: "):
        assert current_release() == builtin_release()
    # It can be installed again.
    install(installed, content())
    assert current_release().version == LATER


def test_a_variable_names_the_release(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(installed, content())
    monkeypatch.setenv("CANFETCH_REGISTRY", "builtin")
    assert current_release() == builtin_release()
    older = tmp_path / "older.json"
    older.write_bytes(content("2000-01-01"))
    monkeypatch.setenv("CANFETCH_REGISTRY", str(older))
    assert current_release().version == "2000-01-01"
    older.unlink()
    with pytest.warns(RuntimeWarning, match="No such file"):
        assert current_release() == builtin_release()
    os.mkfifo(older)
    with pytest.warns(RuntimeWarning, match="not a regular file"):
        assert current_release() == builtin_release()


ROBOTS = parse(b"User-agent: FishBot\nDisallow: /fish\n\nUser-agent: *\nDisallow: /x\n")
SHOP = {**OWN, "tokens": ["ShopBot", "FishBot"]}


@pytest.mark.parametrize(
    "old, new, kind, text, verdicts",
    [
        ((OWN,), (OWN, SHOP), "added", "", (("/x",), ("/fish",))),
        ((OWN, SHOP), (OWN,), "removed", "", (("/fish",), ("/x",))),
        ((SHOP,), ({**SHOP, "tokens": ["ShopBot"]},), "changed", "tokens: -FishBot", (("/fish",), ("/x",))),
        ((SHOP,), ({**SHOP, "purposes": ["seo"]},), "changed", "purposes: +seo, -research", None),
        ((SHOP,), ({**SHOP, "obeys": "no"},), "changed", "obeys: yes -> no", None),
        (
            (SHOP,),
            ({**SHOP, "verification": {"host_names": [".fish.example"]}},),
            "changed",
            "verification host_names: +.fish.example",
            None,
        ),
        (
            (SHOP,),
            ({**SHOP, "headers": [{"value": "ShopBot/1", "source": "https://fish.example"}]},),
            "changed",
            "headers: +ShopBot/1",
            None,
        ),
    ],
)
def test_changes(
    old: tuple[dict[str, Any], ...],
    new: tuple[dict[str, Any], ...],
    kind: str,
    text: str,
    verdicts: tuple[tuple[str, ...], tuple[str, ...]] | None,
) -> None:
    (change,) = compare_releases(release(*old), release(*new), ROBOTS).crawlers
    assert (change.name, change.kind, "; ".join(map(str, change.fields))) == ("ShopBot", kind, text)
    found = change.verdicts
    assert verdicts == (found and (found.newly_allowed.patterns, found.newly_disallowed.patterns))


def test_other_headers_are_compared_if_both_releases_have_some() -> None:
    one, other = (
        parse_release(content(other_headers=[{"value": name, "source": "x"} for name in names]))
        for names in ("ab", "bc")
    )
    changes = compare_releases(one, other)
    assert (changes.crawlers, changes.added_headers, changes.removed_headers) == ((), ("c",), ("a",))
    assert compare_releases(release(OWN), other).added_headers == ()


def test_the_date_of_a_check_is_no_change() -> None:
    assert compare_releases(release(OWN), release({**OWN, "checked": "2026-01-01"})).crawlers == ()


def test_old_and_unknown_facts_are_reported() -> None:
    old = {**OWN, "checked": "2025-01-01", "obeys": "not-documented", "source_kind": "third-party"}
    source = "https://fish.example/shop"
    dated, same = (
        {"value": "ShopBot/1", "source": "x", "checked": "2024-01-01"},
        {"value": "ShopBot/2", "source": source},
    )
    complete = {
        **SHOP,
        "source": source,
        "headers": [dated, same, {"value": "ShopBot/3", "source": "x"}],
        "verification": {"host_names": [".fish.example"]},
        "field_sources": [OBEYS, {**OBEYS, "field": "verification.host_names", "checked": "2026-11-01"}],
    }
    found = report_release(release(old, {**complete, "checked": "2026-11-20"}), date(2026, 11, 27))
    assert [(one.name, one.checked, one.source) for one in found.old] == [
        ("ShopBot", "2024-01-01", "x"),
        ("FishBot", "2025-01-01", "https://fish.example/bot"),
        ("ShopBot", "2025-02-01", "https://fish.example/robots"),
    ]
    assert [found.old[number].fields for number in (0, 2)] == [("headers",), ("obeys",)]
    assert {"operator", "verification.note", "obeys"} < set(found.old[1].fields)
    report = found.to_json()
    fields = ["operator's own source", "compliance", "headers", "verification"]
    assert report["unknown"] == [{"name": "FishBot", "fields": fields}]
    assert (report["crawlers"], report["headers"], report["undated_headers"]) == (2, 3, 1)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Ran]:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    environment.pop("CANFETCH_REGISTRY", None)

    def run(*arguments: str, env: dict[str, str] | None = None) -> Ran:
        command = [sys.executable, "-m", "canfetch", "agents", *arguments]
        ran = subprocess.run(
            command, cwd=tmp_path, env={**environment, **(env or {})}, capture_output=True, text=True, check=False
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    (tmp_path / "r.json").write_bytes(content(LATER, OWN, *({**SHOP, "obeys": "no"},)))
    (tmp_path / "r.json.sig").write_bytes(signature((tmp_path / "r.json").read_bytes()))
    public = SIGNER.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "key.pem").write_bytes(public)
    (tmp_path / "robots.txt").write_bytes(ROBOTS.content)
    return run


@pytest.mark.slow
def test_update(run: Callable[..., Ran], tmp_path: Path) -> None:
    no_key = "this version of canfetch has no key for releases yet: pass --key FILE"
    other_key = "the signature does not fit the registry and the key"
    assert run("update", "r.json").err == f"canfetch: {other_key if repository.RELEASE_KEYS else no_key}\n"
    assert run("update").code == run("update", "r.json", "--builtin").code == 2
    assert run("update", "r.json", "--builtin").err.startswith("canfetch: --builtin cannot be used with the release")
    damaged = run("find", "x", env={"CANFETCH_REGISTRY": "robots.txt"}).err
    assert (damaged.count("\n"), damaged.startswith("canfetch: warning: the registry of crawlers at 'rob")) == (1, True)
    named = run("update", "--builtin", env={"CANFETCH_REGISTRY": "r.json"})
    assert (named.code, (tmp_path / "r.json").exists()) == (2, True)
    file = tmp_path / "data" / "canfetch" / "registry.json"
    assert run("update", "r.json", "--key", "key.pem") == (
        0,
        f"registry of {LATER}, installed at {file}\n",
        "",
    )
    assert run("show", "FishBot").out.startswith("FishBot\n")
    again = run("update", "r.json", "--key", "key.pem")
    assert (again.code, again.err) == (
        1,
        f"canfetch: the registry of {LATER} is not later than that in use, of {LATER}\n",
    )
    removed = run("update", "--builtin", "--format", "json")
    older = content("2998-12-31")
    (tmp_path / "o.json").write_bytes(older)
    (tmp_path / "o.json.sig").write_bytes(signature(older))
    refused = run("update", "o.json", "--key", "key.pem")
    assert (refused.code, "is older than one that was installed" in refused.err) == (1, True)
    assert run("update", "o.json", "--key", "key.pem", "--allow-older").code == 0
    assert run("update", "--builtin").code == 0
    assert json.loads(removed.out) == {"version": builtin_release().version, "path": None, "is_installed": False}
    assert run("show", "FishBot").code == 1


@pytest.mark.slow
def test_update_from_a_server(run: Callable[..., Ran], tmp_path: Path) -> None:
    with Site() as site:
        site.serve("/r.json", respond((tmp_path / "r.json").read_bytes()))
        failed = run("update", f"{site.origin}/r.json", "--key", "key.pem")
        assert (failed.code, "status 404" in failed.err) == (2, True)
        site.serve("/r.json.sig", respond((tmp_path / "r.json.sig").read_bytes()))
        assert run("update", f"{site.origin}/r.json", "--key", "key.pem").code == 0
        assert run("report", "--format", "json").code == 0


@pytest.mark.slow
def test_diff_and_report(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run("diff", "builtin", "r.json", "--robots", "robots.txt")
    assert ran.code == 1
    assert "ShopBot: added (Fish, research)\n  in this robots.txt, newly allowed: /x, such as /x\n" in ran.out
    assert ran.out.endswith("crawlers changed\n")
    same = run("diff", "r.json", "r.json", "--format", "json")
    assert (same.code, json.loads(same.out)["crawlers"]) == (0, [])
    assert run("diff", "builtin", "robots.txt").err == (
        "canfetch: 'robots.txt': the registry is not valid JSON: Expecting value: line 1 column 1 (char 0)\n"
    )
    (tmp_path / "old.json").write_bytes(content(LATER, {**OWN, "field_sources": [OBEYS]}))
    old = run("report", "old.json")
    assert (old.code, old.out.splitlines()[3]) == (1, "  2025-02-01  FishBot (obeys)  https://fish.example/robots")
    shown = run("show", "FishBot", env={"CANFETCH_REGISTRY": "old.json"}).out
    assert "  source      https://fish.example/robots (of obeys, checked 2025-02-01, more than a year ago)\n" in shown
    report = run("report", "r.json")
    assert (report.code, report.out.splitlines()[:2]) == (0, [f"registry of {LATER}, r.json", "2 crawlers, 0 headers"])


@pytest.mark.slow
def test_a_release_is_built_twice_with_the_same_bytes(run: Callable[..., Ran], tmp_path: Path) -> None:
    key = tmp_path / "private.pem"
    key.write_bytes(SIGNER.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    for folder in ("a", "b"):
        tool = str(ROOT / "tools/build_registry_release.py")
        command = [sys.executable, tool, str(tmp_path / folder), "--key", str(key), "--unpinned"]
        subprocess.run(command, check=True, capture_output=True)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(names) == 2
    first, second = ([(tmp_path / folder / name).read_bytes() for name in names] for folder in ("a", "b"))
    assert first == second
    built = parse_release(first[0])
    assert built.crawlers == builtin_release().crawlers
    assert len(built.other_headers) >= 500
    # It is signed, but not later than that of the package.
    assert run("update", f"a/{names[0]}", "--key", "key.pem").code == 1
