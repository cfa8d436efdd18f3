//! Crawl-delay: the number of seconds that a crawler should leave between two requests.

use std::time::Duration;

pub const KEY: &[u8] = b"crawl-delay";
/// Bounds the time and the result. 32 digits are longer than any delay.
const MAX_DIGITS: usize = 32;

/// Parses a non-negative decimal number, with `.` or, leniently, `,` as the decimal point. `None` for anything else, such
/// as `5s`, `1e3` or `-1`. A delay that is too long for a `Duration` is the longest one.
pub fn parse(value: &[u8]) -> Option<Duration> {
    let mut digits = value.to_vec();
    if let Some(comma) = digits.iter().position(|&byte| byte == b',') {
        digits[comma] = b'.';
    }
    let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(digits.len());
    let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
    let are_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    if whole.is_empty() && fraction.is_empty() || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let first = digits.iter().position(|&byte| byte != b'0').unwrap_or(digits.len());
    let significant = &digits[first..digits.len().min(first + MAX_DIGITS)];
    let seconds: f64 = format!("0{}", String::from_utf8_lossy(significant)).parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_those_of_the_python_package() {
        for (value, milliseconds) in [
            (&b"5"[..], Some(5000)),
            (b"0.5", Some(500)),
            (b"1,5", Some(1500)),
            (b".25", Some(250)),
            (b"5.", Some(5000)),
            (b"007", Some(7000)),
            (b"0", Some(0)),
            (b"", None),
            (b".", None),
            (b"5s", None),
            (b"-1", None),
            (b"1e3", None),
            (b"1.5,3", None),
            (b"1 ", None),
        ] {
            assert_eq!(parse(value), milliseconds.map(Duration::from_millis), "{value:?}");
        }
        assert_eq!(parse(&[b'9'; 1000]), Some(Duration::MAX));
        assert_eq!(parse(&[b'0'; 1000]), Some(Duration::ZERO));
    }
}
