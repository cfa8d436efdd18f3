// The npm package of canfetch. It also answers the line, the reason and the code of an error, as `--program` expects.
// The argument --version prints its version.

import { createInterface } from "node:readline";

import { parse, productToken, version } from "canfetch";

const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

function answer(fields) {
  try {
    const robots = parse(bytes(fields.robots), {
      profile: fields.profile,
      url: fields.robots_url,
      maxBytes: fields.max_bytes ?? undefined,
    });
    const tokens = fields.agents.length > 0 ? fields.agents : [productToken(fields.user_agent)];
    const agent = { tokens, starApplies: fields.star_applies };
    const verdict = robots.decide(bytes(fields.url), agent);
    if (robots.allows(bytes(fields.url), agent) !== verdict.allowed) throw new Error("two answers");
    return { allowed: verdict.allowed, line: verdict.line ?? 0, reason: verdict.reason };
  } catch (error) {
    if (error.code === "unknown-profile") return { skip: error.message };
    return { error: error.code ?? String(error).slice(0, 200) };
  }
}

if (process.argv.includes("--version")) {
  console.log(version);
} else {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
  }
}
