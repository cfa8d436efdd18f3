/** Answers questions of the tests: one line of JSON for each file. */

import { createInterface } from "node:readline";

import { parse, productToken } from "canfetch";

const attempt = (call) => {
  try {
    return call();
  } catch (error) {
    return { error: error.code };
  }
};
const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

for await (const line of createInterface({ input: process.stdin })) {
  const { content, profile, agents, urls, headers } = JSON.parse(line);
  const robots = parse(bytes(content), { profile });
  const answers = agents.map((agent) => ({
    delay: attempt(() => robots.crawlDelay(agent)),
    verdicts: urls.map(bytes).map((url) =>
      attempt(() => {
        const verdict = robots.decide(url, agent);
        if (robots.allows(url, agent) !== verdict.allowed) throw new Error("two answers");
        if (robots.rulesFor(agent).allows(url) !== verdict.allowed) throw new Error("two answers");
        return { ...verdict, text: String(verdict) };
      }),
    ),
  }));
  const tokens = headers.map((header) => attempt(() => productToken(header)));
  process.stdout.write(`${JSON.stringify({ sitemaps: robots.sitemaps, answers, tokens })}\n`);
}
