//! Answers conformance cases with the public interface. `tests/conformance/test_crate.py` asks them.
//!
//! A question is a line of six fields between tabs: the profile, the limit in bytes, whether `*` applies (0 or 1), the
//! product tokens between spaces or else `header` and a User-Agent header, the file, and the URL. Tokens, header, file and
//! URL are hexadecimal. The answer is a line: `1` or `0`
//! for the verdict, the line of the deciding rule or 0, and the reason; or `error`.

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use canfetch::{Agent, ParseOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?)?)?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<String, Box<dyn Error>> {
    let fields: Vec<_> = line.split('\t').collect();
    let [profile, max_bytes, star_applies, tokens, robots, url] = *fields else {
        return Err("expected six fields".into());
    };
    let agent = match tokens.strip_prefix("header ") {
        Some(header) => Agent::from_user_agent(&text(header)?)?,
        None => Agent::chain(tokens.split(' ').map(text).collect::<Result<Vec<_>, _>>()?)?,
    };
    let agent = agent.with_star(star_applies == "1");
    let robots = ParseOptions::new().profile(profile.parse()?).max_bytes(max_bytes.parse()?)?.parse(bytes(robots)?);
    let (url, rules) = (bytes(url)?, robots.rules_for(&agent));
    let Ok(verdict) = rules.decide(&url) else { return Ok("error".into()) };
    assert_eq!(rules.explain(&url)?.verdict(), verdict);
    assert_eq!(rules.allows(&url)?, verdict.is_allowed());
    assert_eq!(robots.decide(&agent, &url)?, verdict);
    Ok(format!("{}\t{}\t{}", u8::from(verdict.is_allowed()), verdict.line().unwrap_or(0), verdict.reason().name()))
}

fn bytes(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    (0..text.len()).step_by(2).map(|at| Ok(u8::from_str_radix(&text[at..at + 2], 16)?)).collect()
}

fn text(hexadecimal: &str) -> Result<String, Box<dyn Error>> {
    Ok(String::from_utf8(bytes(hexadecimal)?)?)
}
