"""A path that reveals something worth protecting."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Well-known paths, such as /wp-admin/ and /admin/, reveal nothing and are left out.
_SEGMENTS: Final = frozenset(
    {b".env", b".git", b".htaccess", b".htpasswd", b".ssh", b".svn", b"backup", b"backups", b"bak", b"confidential"}
    | {b"db_backup", b"dump", b"dumps", b"passwd", b"passwords", b"phpmyadmin", b"secret", b"secrets"}
    | {b"sql", b"sqldump", b"private_key", b"id_rsa"}
)
_ENDINGS: Final = (b".bak", b".dump", b".key", b".old", b".pem", b".sql", b".sql.gz", b".p12", b".pfx")
_PREFIXES: Final = (b".git", b"backup_", b"backup-", b"secret-", b"secret_")
_NAMES: Final = (*sorted(_SEGMENTS), *_ENDINGS, *_PREFIXES)
# Every name contains one of these.
_WORDS: Final = tuple(name for name in _NAMES if not any(other in name for other in _NAMES if other != name))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find revealing names of folders and files in disallow lines. Each path is reported once."""
    seen: set[bytes] = set()
    for record in file.records_containing(_WORDS, RecordKind.DISALLOW):
        if record.value is None:
            continue
        value = file.value(record)
        path = value.lower().partition(b"?")[0]
        if value not in seen and any(map(_is_revealing, path.split(b"/"))):
            seen.add(value)
            yield Occurrence(record.value, {"pattern": file.text(value)})


def _is_revealing(segment: bytes) -> bool:
    name = segment.rstrip(b"*$")
    # `/*.sql$` matches all files of a type, and does not reveal any of them.
    return name in _SEGMENTS or name.startswith(_PREFIXES) or (b"*" not in segment and name.endswith(_ENDINGS))


CHECK = Check(
    code="CF705",
    name="revealing-path",
    severities=everywhere(Severity.INFO),
    title="A path that reveals something worth protecting",
    message="anyone can read here that `{pattern}` exists",
    why="Anyone can fetch robots.txt, and attackers do. A rule is only a request to crawlers, and does not protect "
    "anything.",
    how_to_fix="Require a password or deny access on the server, and remove the path from robots.txt.",
    source="RFC 9309 section 3; NIST, no security by obscurity",
    bad=b"User-agent: *\nDisallow: /files/backup/\n",
    good=b"User-agent: *\nDisallow: /files/\n",
    find=find,
    needs=tuple(map(InRule, _WORDS)),
)
