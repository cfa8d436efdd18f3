//! Writes `rust/c/include/canfetch.h` from the sources of `rust/c`. With `--check`, compares it.
//!
//!     cargo run --manifest-path rust/header/Cargo.toml -- [--check]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use cbindgen::{Builder, Config};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c");
    let workspace = std::fs::read_to_string(library.join("../Cargo.toml"))?;
    let version = workspace.lines().find_map(|line| line.strip_prefix("version = ")).ok_or("no version")?;
    let mut config = Config::from_file(library.join("cbindgen.toml"))?;
    config.after_includes = Some(format!(
        "\n// The version of this header. canfetch_version() returns that of the library.\n#define CANFETCH_VERSION {version}"
    ));
    let mut builder = Builder::new().with_config(config);
    // In the order of the header.
    for module in ["status", "verdict", "constants", "handles", "file", "rules"] {
        builder = builder.with_src(library.join("src").join(module).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate()?.write(&mut header);
    // A heading of Rust's documentation, and an expression without parentheses.
    let header = String::from_utf8(header)?
        .replace("// # Safety\n//\n// ", "// Safety: ")
        .replace("CANFETCH_STAR_DEFAULT -1", "CANFETCH_STAR_DEFAULT (-1)");
    let file = library.join("include/canfetch.h");
    if !std::env::args().any(|argument| argument == "--check") {
        std::fs::write(file, header)?;
    } else if std::fs::read_to_string(file)? != header {
        eprintln!("rust/c/include/canfetch.h is not up to date: run 'make c-header'");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
