"""Generate the tables of both engines from tables/protocol.toml, or check that they are up to date."""

from __future__ import annotations

import sys
import tomllib
from typing import Any

from generated import ROOT, parse_check, write_or_check

SOURCE = ROOT / "tables" / "protocol.toml"
PYTHON_TABLES = ROOT / "src" / "canfetch" / "core" / "_tables.py"
RUST_TABLES = ROOT / "rust" / "core" / "src" / "tables.rs"
RUST_PROFILES = ROOT / "rust" / "core" / "src" / "api" / "profiles.rs"
NOTICE = "Generated from tables/protocol.toml by tools/generate_tables.py: edit that file, not this one."


def flag_default(name: str) -> bool | int:
    """Return the value of a flag that a profile does not set: 0 for a number (by its name), else False."""
    return 0 if name.endswith("_bytes") else False


def full_meaning(flag: dict[str, Any]) -> str:
    """Return the meaning of a flag, with its meaning when it is off if the table gives one."""
    meaning = str(flag["meaning"])
    return f"{meaning} When off: {flag['when_off']}" if "when_off" in flag else meaning


def python_tables(tables: dict[str, Any]) -> str:
    """Render the Python module."""
    lines = [f'"""{NOTICE}"""', "", "from typing import Final, NamedTuple", "", ""]
    lines += ["class Profile(NamedTuple):", '    """One way to read a robots.txt: an immutable set of flags."""', ""]
    lines += ["    name: str", "    summary: str", "    source: str"]
    for name in tables["flags"]:
        default = flag_default(name)
        lines.append(f"    {name}: {type(default).__name__} = {default!r}")
    lines += ["", ""]
    for name, value in tables["limits"].items():
        if isinstance(value, int):
            lines.append(f"{name.upper()}: Final = {value:_}")
    lines.append("")
    for kind, spellings in tables["spellings"].items():
        lines.append(f"{kind.upper()}_SPELLINGS: Final[tuple[bytes, ...]] = (")
        lines += [f'    b"{spelling}",' for spelling in spellings]
        lines.append(")")
    lines += ["", "STAR_IGNORERS: Final = frozenset(", "    ("]
    lines += [f'        "{name}",' for name in tables["agents"]["star_ignorers"]]
    lines += ["    )", ")"]
    lines += ["", "PROFILES: Final[dict[str, Profile]] = {"]
    for name, values in tables["profiles"].items():
        lines += [f'    "{name}": Profile(', f'        name="{name}",']
        for key, value in values.items():
            shown = '"' + value + '"' if isinstance(value, str) else repr(value) if value is not True else "True"
            if isinstance(value, int) and not isinstance(value, bool):
                shown = f"{value:_}"
            lines.append(f"        {key}={shown},")
        lines.append("    ),")
    lines += ["}", ""]
    return "\n".join(lines)


def rust_tables(tables: dict[str, Any]) -> str:
    """Render the Rust module."""
    flags, profiles = tables["flags"], tables["profiles"]
    lines = [f"//! {NOTICE}", ""]
    lines += ["/// One way to read a robots.txt: an immutable set of flags.", "#[derive(Debug, PartialEq, Eq)]"]
    lines += ["#[allow(clippy::struct_excessive_bools)]", "pub struct Profile {"]
    lines += ["    /// The name by which callers select the profile.", "    pub name: &'static str,"]
    for name, flag in flags.items():
        lines.append(f"    /// {full_meaning(flag)}")
        lines.append(f"    pub {name}: {'bool' if flag_default(name) is False else 'usize'},")
    lines += ["}", ""]
    for name, value in tables["limits"].items():
        if isinstance(value, int):
            lines.append(f"/// Source: {tables['limits']['source'][name]}.")
            lines.append(f"pub const {name.upper()}: usize = {value:_};")
    lines.append("")
    for kind, spellings in tables["spellings"].items():
        lines.append(f"/// The spellings of the {kind.replace('_', '-')} key; the first is the record's name.")
        lines.append(f"pub const {kind.upper()}_SPELLINGS: [&[u8]; {len(spellings)}] = [")
        lines += [f'    b"{spelling}",' for spelling in spellings]
        lines.append("];")
    names = tables["agents"]["star_ignorers"]
    lines += ["", "/// The crawlers to which the `*` groups do not apply, in lower case."]
    lines.append(f"pub const STAR_IGNORERS: [&str; {len(names)}] = [")
    lines += [f'    "{name}",' for name in names] + ["];"]
    lines += [
        "",
        "/// Every profile that this engine supports.",
        f"pub static PROFILES: [Profile; {len(profiles)}] = [",
    ]
    for name, values in profiles.items():
        lines += ["    Profile {", f'        name: "{name}",']
        for flag in flags:
            value = values.get(flag, flag_default(flag))
            shown = str(value).lower() if isinstance(value, bool) else f"{value:_}"
            lines.append(f"        {flag}: {shown},")
        lines.append("    },")
    lines += ["];", ""]
    return "\n".join(lines)


def rust_profiles(tables: dict[str, Any]) -> str:
    """Render the Rust module with the public names of the profiles."""
    profiles = {name.capitalize(): values["summary"] for name, values in tables["profiles"].items()}
    lines = [f"//! {NOTICE}", "", "/// One way to read a robots.txt, such as that of RFC 9309 or of Google's parser."]
    lines += ["#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]", "#[non_exhaustive]", "pub enum Profile {"]
    for number, (name, summary) in enumerate(profiles.items()):
        lines += [f"    /// {summary}", *(["    #[default]"] if number == 0 else []), f"    {name},"]
    lines += ["}", "", "impl Profile {", "    /// Every profile."]
    lines.append("    pub const ALL: &[Self] = &[")
    lines += [f"        Self::{name}," for name in profiles]
    lines += ["    ];", "}", ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check all modules, and return the exit code."""
    check = parse_check(__doc__)
    tables = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    modules = {
        PYTHON_TABLES: python_tables(tables),
        RUST_TABLES: rust_tables(tables),
        RUST_PROFILES: rust_profiles(tables),
    }
    return write_or_check(modules, check=check)


if __name__ == "__main__":
    sys.exit(main())
