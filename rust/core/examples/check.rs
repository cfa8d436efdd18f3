//! Checks URLs against a file, and shows the line that decides.
//!
//! ```console
//! $ cargo run --example check robots.txt ExampleBot https://example.com/private /public
//! ```
//!
//! Exit codes: 0 all URLs are allowed, 1 some are disallowed, 2 an argument is invalid.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use canfetch::{Agent, RobotsTxt};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [path, token, urls @ ..] = &*arguments else {
        eprintln!("usage: check FILE AGENT URL...");
        return ExitCode::from(2);
    };
    match check(path, token, urls) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn check(path: &str, token: &str, urls: &[String]) -> Result<bool, Box<dyn Error>> {
    let robots = RobotsTxt::parse(fs::read(path)?);
    let rules = robots.rules_for(&Agent::new(token)?);
    let mut all_allowed = true;
    for url in urls {
        let verdict = rules.decide(url)?;
        println!("{url}\t{verdict}");
        all_allowed &= verdict.is_allowed();
    }
    if let Some(delay) = rules.crawl_delay() {
        println!("crawl delay: {} s", delay.as_secs_f64());
    }
    Ok(all_allowed)
}
