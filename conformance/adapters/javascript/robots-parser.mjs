// robots-parser. It returns undefined for URLs of another origin.

import robotsParser from "robots-parser";
import { answerQuestions, robotsURL } from "./questions.mjs";

await answerQuestions((question) => {
  // Its documentation: a relative URL is matched only if the URL of the robots.txt is relative, too.
  const isPath = question.robotsURL === null && /^\/(?!\/)/.test(question.url);
  const file = isPath ? "/robots.txt" : robotsURL(question);
  return robotsParser(file, question.text).isAllowed(question.url, question.agent);
});
