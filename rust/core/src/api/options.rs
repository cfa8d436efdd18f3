//! Options of parsing.

use super::errors::InvalidLimit;
use super::profiles::Profile;
use super::robots_txt::RobotsTxt;
use crate::tables::{DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT};

/// How files are parsed. The default is the profile of RFC 9309, and a limit of 500 KiB.
///
/// ```
/// use canfetch::{ParseOptions, Profile};
///
/// let options = ParseOptions::new().profile(Profile::Google).max_bytes(2_000_000)?;
/// let robots = options.parse("User-agent: *\nDisallow: /private");
/// assert_eq!(robots.profile(), Profile::Google);
/// # Ok::<(), canfetch::InvalidLimit>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    profile: Profile,
    max_bytes: usize,
}

impl ParseOptions {
    /// Returns the default options.
    pub fn new() -> Self {
        Self { profile: Profile::default(), max_bytes: DEFAULT_MAX_BYTES }
    }

    /// Sets the profile.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Sets the limit. A longer file is cut at the last line end within it, and the rest is ignored.
    ///
    /// # Errors
    ///
    /// The limit is below 512,000 bytes, which RFC 9309 section 2.5 requires, or above 512 MiB.
    pub fn max_bytes(self, max_bytes: usize) -> Result<Self, InvalidLimit> {
        if (DEFAULT_MAX_BYTES..=MAX_BYTES_LIMIT).contains(&max_bytes) {
            Ok(Self { max_bytes, ..self })
        } else {
            Err(InvalidLimit { max_bytes })
        }
    }

    /// Parses a file, as [`RobotsTxt::parse`] does.
    pub fn parse(self, content: impl Into<Vec<u8>>) -> RobotsTxt {
        RobotsTxt::parse_with(content.into(), self.profile, self.max_bytes)
    }
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self::new()
    }
}
