//! Why a call failed.

/// Why a call failed. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Failure {
    /// No open file has this handle.
    UnknownDocument = -1,
    /// No profile has this index.
    UnknownProfile = -2,
    /// The input does not have the expected form.
    MalformedInput = -3,
    /// The input, the output or the number of open files would exceed a limit.
    TooLarge = -4,
    /// `max_bytes` is out of range.
    InvalidLimit = -5,
    /// The target is not a valid URL.
    InvalidTarget = -6,
    /// The agent has no product tokens, or an invalid one.
    InvalidAgent = -7,
    /// The file has no rules with this number.
    UnknownRules = -8,
}
