//! Reads questions from standard input, and writes the answers to standard output: one line of JSON each.

use std::io::BufRead;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// What an adapter asks its library.
pub struct Question {
    pub robots: Vec<u8>,
    pub agent: String,
    pub url: String,
}

impl Question {
    /// The file as a string, for libraries that take no bytes.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.robots).into_owned()
    }

    /// The URL without scheme, authority and fragment, for libraries that take no URLs.
    pub fn path(&self) -> String {
        let url = self.url.split('#').next().unwrap_or_default();
        let rest = match url.split_once("//") {
            Some((scheme, rest)) if scheme.is_empty() || scheme.ends_with(':') => {
                rest.find(['/', '?']).map_or("", |start| &rest[start..])
            }
            _ => url,
        };
        if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
    }
}

/// Answers questions with `decide` until standard input ends. An `Err` is an error that the library returned.
pub fn answer_questions(decide: impl Fn(&Question) -> Result<bool, String>) {
    for line in std::io::stdin().lock().lines() {
        let fields: Value = serde_json::from_str(&line.expect("standard input is readable")).expect("a line is JSON");
        if fields["agents"].as_array().is_none_or(|agents| agents.len() != 1) {
            println!("{}", json!({ "skip": "only one product token is supported" }));
            continue;
        }
        let decode = |key: &str| STANDARD.decode(fields[key].as_str().unwrap_or_default()).expect("base64");
        let question = Question {
            robots: decode("robots"),
            agent: fields["agents"][0].as_str().unwrap_or_default().to_owned(),
            url: String::from_utf8(decode("url")).expect("the URL is UTF-8"),
        };
        let answer = match decide(&question) {
            Ok(allowed) => json!({ "allowed": allowed }),
            Err(error) => json!({ "exception": error }),
        };
        // Standard output is line-buffered.
        println!("{answer}");
    }
}
