// Reads questions from standard input, and writes the answers to standard output: one line of JSON each.

import { createInterface } from "node:readline";

// Returns the URL of the robots.txt: that of the question, or else of the origin of its URL.
export function robotsURL(question) {
  return question.robotsURL ?? new URL("/robots.txt", new URL(question.url, "https://example.com/")).href;
}

// Returns a URL without scheme, authority and fragment, for libraries that take no URLs.
export function path(url) {
  const rest = url.replace(/#.*$/s, "").replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?]*/i, "");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

export async function answerQuestions(decide) {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const fields = JSON.parse(line);
    const question = {
      text: Buffer.from(fields.robots, "base64").toString("utf8"),
      agent: fields.agents[0],
      url: Buffer.from(fields.url, "base64").toString("utf8"),
      robotsURL: fields.robots_url,
      page: fields.page,
    };
    let answer;
    if (fields.agents.length !== 1) {
      process.stdout.write(`${JSON.stringify({ skip: "only one product token is supported" })}\n`);
      continue;
    }
    try {
      const allowed = await decide(question);
      answer = allowed === undefined ? { exception: "undefined" } : { allowed };
    } catch (error) {
      answer = { exception: String(error).slice(0, 200) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
