// RobotsTxtFile of Crawlee, with the file that it fetches.

import { RobotsTxtFile } from "@crawlee/utils";
import { answerQuestions } from "./questions.mjs";

await answerQuestions(async (question) => {
  const robots = await RobotsTxtFile.find(question.url, undefined, { timeoutMillis: 10_000 });
  return robots.isAllowed(question.url, question.agent);
});
