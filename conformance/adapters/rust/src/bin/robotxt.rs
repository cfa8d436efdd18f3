//! robotxt. Its functions got other names in 0.7.0.

use robotxt::Robots;
use url::Url;

/// The names of 0.7.0. Functions of the library itself take precedence, so these are called in older versions only.
#[allow(dead_code)]
trait NewNames: Sized {
    fn parse(robots: &[u8], agent: &str) -> Self;
    fn is_allowed(&self, path: &str) -> bool;
    fn is_url_allowed(&self, url: &Url) -> bool;
}

impl NewNames for Robots {
    fn parse(robots: &[u8], agent: &str) -> Self {
        Robots::from_bytes(robots, agent)
    }

    fn is_allowed(&self, path: &str) -> bool {
        self.is_relative_allowed(path)
    }

    fn is_url_allowed(&self, url: &Url) -> bool {
        self.is_absolute_allowed(url)
    }
}

/// The older names, which 0.7.0 does not have. `NewNames` is never called there.
trait OldNames: Sized {
    fn from_bytes(_robots: &[u8], _agent: &str) -> Self {
        unreachable!("the library has parse")
    }

    fn is_relative_allowed(&self, _path: &str) -> bool {
        unreachable!("the library has is_allowed")
    }

    fn is_absolute_allowed(&self, _url: &Url) -> bool {
        unreachable!("the library has is_url_allowed")
    }
}

impl OldNames for Robots {}

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
