//! robotstxt, a port of Google's parser to Rust.

use robotstxt::DefaultMatcher;

fn main() {
    adapters::answer_questions(|question| {
        let text = question.text();
        Ok(DefaultMatcher::default().one_agent_allowed_by_robots(&text, &question.agent, &question.url))
    });
}
