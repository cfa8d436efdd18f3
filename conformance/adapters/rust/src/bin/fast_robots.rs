//! fast-robots, which takes the path of a URL.

use fast_robots::RobotsTxt;

fn main() {
    adapters::answer_questions(|question| {
        let robots = RobotsTxt::parse_bytes(&question.robots).map_err(|error| format!("{error:?}"))?;
        Ok(robots.is_allowed(&question.agent, &question.path()))
    });
}
