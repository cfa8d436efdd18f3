//! The rules of a file for one agent.

use std::ffi::c_char;
use std::ptr;

use canfetch::Agent;

use crate::boundary::{Place, bytes, close, copy, handle, list, open};
use crate::constants::CANFETCH_STAR_DEFAULT;
use crate::handles::{Robots, Rules, text, with_star};
use crate::status::{Status, call};
use crate::verdict::{Text, Verdict};

/// Find the rules of a file that apply to an agent. Use them to check many URLs.
///
/// `agent` is a product token. On success, `*rules` is a handle that the caller frees with canfetch_rules_close(). After an
/// error it is NULL. The rules share the file and may outlive its handle.
///
/// Threads can use one handle at the same time, with every function except canfetch_rules_close().
///
/// # Safety
///
/// `robots` is an open handle. `agent` points to `agent_length` bytes. `rules` points to memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules(
    robots: *const Robots,
    agent: *const c_char,
    agent_length: usize,
    rules: *mut *mut Rules,
) -> Status {
    let token = Text { data: agent, length: agent_length };
    // SAFETY: the caller promises the same, and the list has one text.
    unsafe { canfetch_rules_for_tokens(robots, &raw const token, 1, CANFETCH_STAR_DEFAULT, rules) }
}

/// Find the rules of a file that apply to an agent with several product tokens, in the order in which they are tried.
///
/// The groups of the first token that has any apply, or else the groups for `*`. `star` is CANFETCH_STAR_DEFAULT,
/// CANFETCH_STAR_APPLIES or CANFETCH_STAR_IGNORED. `*rules` is as for canfetch_rules().
///
/// # Safety
///
/// As for canfetch_rules(). `tokens` points to `count` texts, each of which points to as many bytes as its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_for_tokens(
    robots: *const Robots,
    tokens: *const Text,
    count: usize,
    star: i32,
    rules: *mut *mut Rules,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a pointer, an open handle, and a list of texts.
        let (rules, robots, tokens) = unsafe {
            let place = Place::new(rules, ptr::null_mut())?;
            (place, handle(robots)?, if count == 0 { &[] } else { list(tokens, count)? })
        };
        // SAFETY: the caller promises that each text points to its bytes.
        let token = |token: &Text| text(unsafe { bytes(token.data, token.length)? });
        let tokens = tokens.iter().map(token).collect::<Result<Vec<_>, _>>()?;
        let agent = Agent::chain(tokens).map_err(|_| Status::InvalidAgent)?;
        rules.set(open(Rules::new(robots, &with_star(agent, star)?)));
        Ok(())
    })
}

/// Find the rules of a file that apply to the crawler that a User-Agent header identifies.
///
/// A crawler knows its own product token. This is for other programs, such as those that read access logs. `star` and
/// `*rules` are as for canfetch_rules_for_tokens(). A header without a crawler, such as that of a browser, results in
/// CANFETCH_STATUS_INVALID_AGENT.
///
/// # Safety
///
/// As for canfetch_rules(). `header` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_for_header(
    robots: *const Robots,
    header: *const c_char,
    length: usize,
    star: i32,
    rules: *mut *mut Rules,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a pointer, an open handle, and bytes.
        let (rules, robots, header) =
            unsafe { (Place::new(rules, ptr::null_mut())?, handle(robots)?, bytes(header, length)?) };
        let agent = Agent::from_user_agent(text(header)?).map_err(|_| Status::InvalidAgent)?;
        rules.set(open(Rules::new(robots, &with_star(agent, star)?)));
        Ok(())
    })
}

/// Free rules. NULL is ignored.
///
/// # Safety
///
/// `rules` is NULL, or a handle that is not closed and that no thread is using.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_close(rules: *mut Rules) {
    call(|| {
        // SAFETY: the caller promises that the handle is open and unused.
        unsafe { close(rules) };
        Ok(())
    });
}

/// Check whether the agent may fetch a URL, as canfetch_allows() does.
///
/// # Safety
///
/// `rules` is an open handle. `url` points to `url_length` bytes. `allowed` points to a `bool`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_allows(
    rules: *const Rules,
    url: *const c_char,
    url_length: usize,
    allowed: *mut bool,
) -> Status {
    call(|| {
        // SAFETY: the caller promises a `bool`, an open handle, and bytes.
        let (allowed, rules, url) = unsafe { (Place::new(allowed, false)?, handle(rules)?, bytes(url, url_length)?) };
        allowed.set(rules.allows(url)?);
        Ok(())
    })
}

/// Decide whether the agent may fetch a URL, as canfetch_decide() does. `verdict->pattern` belongs to `rules`.
///
/// # Safety
///
/// As for canfetch_rules_allows(). `verdict` points to memory for a verdict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_decide(
    rules: *const Rules,
    url: *const c_char,
    url_length: usize,
    verdict: *mut Verdict,
) -> Status {
    call(|| {
        // SAFETY: the caller promises memory for a verdict, an open handle, and bytes.
        let (verdict, rules, url) =
            unsafe { (Place::new(verdict, Verdict::NONE)?, handle(rules)?, bytes(url, url_length)?) };
        verdict.set(rules.decide(url)?);
        Ok(())
    })
}

/// Explain a decision, as canfetch_explain() does.
///
/// # Safety
///
/// As for canfetch_rules_allows(). `buffer` points to `size` bytes. `length` points to a `size_t` outside of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_explain(
    rules: *const Rules,
    url: *const c_char,
    url_length: usize,
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: the caller promises a number, an open handle, and bytes.
        let (length, rules, url) = unsafe { (Place::new(length, 0)?, handle(rules)?, bytes(url, url_length)?) };
        let text = rules.explain(url)?;
        // SAFETY: the caller promises a buffer of this size.
        unsafe { copy(&text, buffer, size, &length) }
    })
}

/// Find the longest valid Crawl-delay of the groups that apply, as canfetch_crawl_delay() does.
///
/// # Safety
///
/// `rules` is an open handle. `seconds` points to a `double`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canfetch_rules_crawl_delay(rules: *const Rules, seconds: *mut f64) -> Status {
    call(|| {
        // SAFETY: the caller promises a `double`, and an open handle.
        let (seconds, rules) = unsafe { (Place::new(seconds, -1.0)?, handle(rules)?) };
        seconds.set(rules.crawl_delay());
        Ok(())
    })
}
