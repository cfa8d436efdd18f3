//! Rows that no rule decides: their input is null or invalid, or the outcome of fetching the file decides.

use canfetch::engine::Reason;

/// The numbers of files from here on are outcomes. Larger ones have other meanings.
const FIRST: u32 = u32::MAX - 16;

/// What an outcome decides about each URL, and the value of the column `reason`.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub allowed: Option<bool>,
    pub reason: &'static str,
}

/// In the order of `canfetch.bulk.parsed_files.OUTCOMES`.
const OUTCOMES: [Outcome; 7] = [
    Outcome { allowed: None, reason: "redirect-unresolved" },
    Outcome { allowed: Some(true), reason: "successful" },
    Outcome { allowed: Some(true), reason: "unavailable" },
    Outcome { allowed: Some(true), reason: "unreachable" },
    Outcome { allowed: Some(false), reason: "successful" },
    Outcome { allowed: Some(false), reason: "unavailable" },
    Outcome { allowed: Some(false), reason: "unreachable" },
];

/// The outcome with the number of a file, if it is one.
#[inline]
pub fn outcome(file: u32) -> Option<Outcome> {
    if file < FIRST { None } else { OUTCOMES.get((file - FIRST) as usize).copied() }
}

/// The number of the file in a row whose source is below 0, if it is an outcome.
pub fn outcome_number(source: i64) -> Option<u32> {
    let number = FIRST.saturating_add(u32::try_from(-1 - source).ok()?);
    outcome(number).map(|_| number)
}

/// Why no rule decides a row.
#[derive(Clone, Copy)]
pub enum Skipped {
    /// An input is null.
    Null,
    /// The agent is not a product token.
    InvalidAgent,
    /// The URL is invalid.
    InvalidURL,
    /// There is no file with this ID.
    NoRobots,
    /// The outcome of fetching the file decides.
    Outcome(Outcome),
    /// The URL is that of a robots.txt, which is always allowed.
    RobotsTxt,
}

impl Skipped {
    /// The value of the column `reason`.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Null => None,
            Self::InvalidAgent => Some("invalid-agent"),
            Self::InvalidURL => Some("invalid-url"),
            Self::NoRobots => Some("no-robots"),
            Self::Outcome(outcome) => Some(outcome.reason),
            Self::RobotsTxt => Some(Reason::RobotsTxt.name()),
        }
    }

    /// Whether the URL may be fetched, if that is known.
    #[inline]
    pub fn allowed(self) -> Option<bool> {
        match self {
            Self::Outcome(outcome) => outcome.allowed,
            Self::RobotsTxt => Some(true),
            _ => None,
        }
    }
}
