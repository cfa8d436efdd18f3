// RobotsTxtFile of Crawlee.

import { RobotsTxtFile } from "@crawlee/utils";
import { answerQuestions, robotsURL } from "./questions.mjs";

await answerQuestions((question) =>
  RobotsTxtFile.from(robotsURL(question), question.text).isAllowed(question.url, question.agent),
);
