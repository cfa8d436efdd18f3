//! The robots.txt that robotparser fetches with reqwest.

use adapters::Question;
use url::Url;

#[cfg(not(old_interface))]
fn decide(question: &Question) -> Result<bool, String> {
    use reqwest::blocking::Client;
    use robotparser::http::RobotsTxtClient;
    use robotparser::service::RobotsTxtService;
    use std::time::Duration;

    let url = Url::parse(&question.url).map_err(|error| error.to_string())?;
    let client = Client::builder().timeout(Duration::from_secs(10)).build().expect("the options are valid");
    let fetched = client.fetch_robots_txt(url.origin()).map_err(|error| error.to_string())?;
    Ok(fetched.get_result().can_fetch(&question.agent, &url))
}

#[cfg(old_interface)]
fn decide(question: &Question) -> Result<bool, String> {
    let page = Url::parse(&question.url).map_err(|error| error.to_string())?;
    let address = page.join("/robots.txt").map_err(|error| error.to_string())?;
    let robots = robotparser::RobotFileParser::new(address.as_str());
    robots.read();
    // Rules are compared with the whole argument, so it is a path.
    Ok(robots.can_fetch(&question.agent, &question.path()))
}

fn main() {
    adapters::answer_questions(decide);
}
