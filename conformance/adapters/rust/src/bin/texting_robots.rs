//! texting_robots.

use texting_robots::Robot;

fn main() {
    adapters::answer_questions(|question| {
        let robot = Robot::new(&question.agent, &question.robots).map_err(|error| error.to_string())?;
        Ok(robot.allowed(&question.url))
    });
}
