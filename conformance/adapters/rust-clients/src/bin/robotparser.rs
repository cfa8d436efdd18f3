//! robotparser, from the repository robotparser-rs.

use adapters::Question;

#[cfg(not(old_interface))]
fn decide(question: &Question) -> Result<bool, String> {
    use robotparser::parser::parse_robots_txt;
    use robotparser::service::RobotsTxtService;
    use url::Url;

    // The library takes URLs of the crate `url`.
    let base = Url::parse("https://example.com/").expect("the URL is valid");
    let url = base.join(&question.url).map_err(|error| error.to_string())?;
    let robots = parse_robots_txt(url.origin(), &question.text()).get_result();
    Ok(robots.can_fetch(&question.agent, &url))
}

#[cfg(old_interface)]
fn decide(question: &Question) -> Result<bool, String> {
    let robots = robotparser::RobotFileParser::new("https://example.com/robots.txt");
    // The lines are those of its function `read`. Rules are compared with the whole argument, so it is a path.
    robots.parse(&question.text().split('\n').collect::<Vec<_>>());
    Ok(robots.can_fetch(&question.agent, &question.path()))
}

fn main() {
    adapters::answer_questions(decide);
}
