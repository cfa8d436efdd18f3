//! Texts that never change.

use std::ffi::{CStr, c_char};

use crate::status::Status;
use crate::verdict::Reason;

/// The default of an agent: the groups for `*` apply, unless its first token is the name of a crawler that ignores them,
/// such as AdsBot-Google.
pub const CANFETCH_STAR_DEFAULT: i32 = -1;
/// The groups for `*` do not apply.
pub const CANFETCH_STAR_IGNORED: i32 = 0;
/// The groups for `*` apply if no group names the agent.
pub const CANFETCH_STAR_APPLIES: i32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no NUL byte"),
};

/// Return the version of the library, such as "0.1.0". The text is constant and ends with a NUL byte.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Return the description of a status in English. The text is constant and ends with a NUL byte.
///
/// It is never NULL, also if the number is not a status.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_status_message(status: i32) -> *const c_char {
    Status::message(status).as_ptr()
}

/// Return the name of a reason, such as "disallow-rule". The text is constant and ends with a NUL byte.
///
/// It is never NULL, also if the number is not a reason.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_reason_name(reason: i32) -> *const c_char {
    Reason::name(reason).as_ptr()
}
