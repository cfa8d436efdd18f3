//! The robots.txt that robotparser fetches with reqwest.

use std::time::Duration;

use reqwest::blocking::Client;
use robotparser::http::RobotsTxtClient;
use robotparser::service::RobotsTxtService;
use url::Url;

fn main() {
    adapters::answer_questions(|question| {
        let url = Url::parse(&question.url).map_err(|error| error.to_string())?;
        let client = Client::builder().timeout(Duration::from_secs(10)).build().expect("the options are valid");
        let fetched = client.fetch_robots_txt(url.origin()).map_err(|error| error.to_string())?;
        Ok(fetched.get_result().can_fetch(&question.agent, &url))
    });
}
