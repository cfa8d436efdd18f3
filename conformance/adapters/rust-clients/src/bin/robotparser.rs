//! robotparser, from the repository robotparser-rs.

use robotparser::parser::parse_robots_txt;
use robotparser::service::RobotsTxtService;
use url::Url;

fn main() {
    adapters::answer_questions(|question| {
        // The library takes URLs of the crate `url`.
        let base = Url::parse("https://example.com/").expect("the URL is valid");
        let url = base.join(&question.url).map_err(|error| error.to_string())?;
        let robots = parse_robots_txt(url.origin(), &question.text()).get_result();
        Ok(robots.can_fetch(&question.agent, &url))
    });
}
