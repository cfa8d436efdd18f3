"""urllib.robotparser of the running interpreter."""

from urllib.robotparser import RobotFileParser

from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Parse the lines of the file as `RobotFileParser.read` does."""
    parser = RobotFileParser()
    # Without a time stamp, `can_fetch` disallows everything.
    parser.modified()
    parser.parse(question.robots.decode("utf-8").splitlines())
    return parser.can_fetch(question.agent, question.url)


answer_questions(decide)
