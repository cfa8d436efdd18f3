//! robotxt.

use robotxt::Robots;
use url::Url;

fn main() {
    adapters::answer_questions(|question| {
        let robots = Robots::parse(&question.robots, question.agent.as_str());
        // The library takes URLs of the crate `url`, or the path of a URL.
        if question.url.starts_with('/') {
            return Ok(robots.is_allowed(&question.path()));
        }
        let url = Url::parse(&question.url).map_err(|error| error.to_string())?;
        Ok(robots.is_url_allowed(&url))
    });
}
