//! The crate canfetch. It also answers the line, the reason and the code of an error, as `--program` expects. The
//! argument --version prints its version.

use std::error::Error;
use std::io::BufRead;

use base64::{Engine, engine::general_purpose::STANDARD};
use canfetch::{Agent, InvalidAgent, InvalidUrl, ParseOptions, Profile};
use serde_json::{Value, json};

/// The manifest of the crate, which has no name for its version.
const MANIFEST: &str = include_str!("../library/Cargo.toml");

fn agent(fields: &Value) -> Result<Agent, InvalidAgent> {
    let tokens: Vec<_> = fields["agents"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let agent = match fields["user_agent"].as_str() {
        Some(header) if tokens.is_empty() => Agent::from_user_agent(header)?,
        _ => Agent::chain(tokens)?,
    };
    Ok(agent.with_star(fields["star_applies"].as_bool() == Some(true)))
}

fn decide(fields: &Value, profile: Profile) -> Result<Value, Box<dyn Error>> {
    let bytes = |key: &str| STANDARD.decode(fields[key].as_str().unwrap_or_default());
    let mut options = ParseOptions::new().profile(profile);
    if let Some(limit) = fields["max_bytes"].as_u64() {
        options = options.max_bytes(usize::try_from(limit)?)?;
    }
    let (robots, url) = (options.parse(bytes("robots")?), bytes("url")?);
    let rules = robots.rules_for(&agent(fields)?);
    let verdict = rules.decide(&url)?;
    if rules.allows(&url)? != verdict.is_allowed() {
        return Err("two answers".into());
    }
    let line = verdict.line().unwrap_or(0);
    Ok(json!({ "allowed": verdict.is_allowed(), "line": line, "reason": verdict.reason().name() }))
}

fn answer(fields: &Value) -> Value {
    if !fields["robots_url"].is_null() {
        return json!({ "skip": "the crate does not compare origins" });
    }
    let profile = match fields["profile"].as_str().unwrap_or_default().parse() {
        Ok(profile) => profile,
        Err(error) => return json!({ "skip": format!("{error}") }),
    };
    decide(fields, profile).unwrap_or_else(|error| {
        let code = match () {
            () if error.is::<InvalidUrl>() => "invalid-url".to_owned(),
            () if error.is::<InvalidAgent>() => "invalid-product-token".to_owned(),
            () => error.to_string(),
        };
        json!({ "error": code })
    })
}

fn main() {
    if std::env::args().any(|argument| argument == "--version") {
        let version = MANIFEST.lines().find_map(|line| line.strip_prefix("version = "));
        println!("{}", version.expect("a version").trim_matches('"'));
        return;
    }
    for line in std::io::stdin().lock().lines() {
        let fields = serde_json::from_str(&line.expect("standard input is readable")).expect("a line is JSON");
        // Standard output is line-buffered.
        println!("{}", answer(&fields));
    }
}
