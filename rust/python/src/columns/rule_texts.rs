//! The texts of rules.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The bytes of the text of a rule in a row. A file may have one huge pattern that decides all rows. As in the Python
/// engine.
const TEXT_BYTES: usize = 256;
const CUT: &str = "\u{2026}";

/// A rule whose text has at most [`TEXT_BYTES`].
pub struct CutRule {
    allow: bool,
    /// The beginning of the pattern. With the key before it, it is longer than the text.
    head: Box<[u8]>,
}

impl CutRule {
    /// Keeps what the text needs. The text of a pattern is at least as long as the pattern.
    pub fn new(allow: bool, pattern: &[u8]) -> Self {
        Self { allow, head: pattern[..pattern.len().min(TEXT_BYTES)].into() }
    }

    /// Returns the text of the rule, cut between characters if it is too long.
    pub fn text(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = rule_text(py, self.allow, &self.head)?;
        if text.len() > TEXT_BYTES {
            let mut end = TEXT_BYTES - CUT.len();
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push_str(CUT);
        }
        Ok(text)
    }
}

/// Returns a rule as `str(canfetch.Rule)` does.
pub fn rule_text(py: Python<'_>, allow: bool, pattern: &[u8]) -> PyResult<String> {
    if let Some(text) = plain_rule_text(allow, pattern) {
        return Ok(text);
    }
    // Python code knows the printable characters.
    let text = py.import("canfetch.core.text")?.call_method1("display_text", (PyBytes::new(py, pattern),))?;
    Ok(format!("{}: {}", rule_kind(allow), text.extract::<String>()?))
}

/// Returns a rule as [`rule_text`] does, if all characters of its pattern are certainly printable.
pub fn plain_rule_text(allow: bool, pattern: &[u8]) -> Option<String> {
    let plain = pattern.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let pattern = if plain { std::str::from_utf8(pattern).ok() } else { None };
    pattern.map(|pattern| format!("{}: {pattern}", rule_kind(allow)))
}

fn rule_kind(allow: bool) -> &'static str {
    if allow { "Allow" } else { "Disallow" }
}
