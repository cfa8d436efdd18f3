// robots-txt-guard with robots-txt-parse, which its documentation names. It takes the path of a URL.

import { Readable } from "node:stream";
import guard from "robots-txt-guard";
import parse from "robots-txt-parse";
import { answerQuestions, path } from "./questions.mjs";

await answerQuestions(async (question) => {
  const parsed = await parse(Readable.from([Buffer.from(question.text)]));
  return guard(parsed).isAllowed(question.agent, path(question.url));
});
