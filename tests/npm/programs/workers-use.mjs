/** A worker that uses the package as a program does, and says what happens without the compiled engine. */

import * as canfetch from "canfetch";
import robotsParser from "canfetch/robots-parser";

import engine from "./engine.wasm";
import { use } from "./usage.mjs";

async function problem(call) {
  try {
    await call();
  } catch (error) {
    return error.message;
  }
  return null;
}

// The engine is shared by all requests, so that only the first one finds none.
let started = null;
async function start() {
  const problems = [await problem(() => canfetch.parse("")), await problem(() => canfetch.load())];
  await canfetch.load(engine);
  return problems;
}

export default {
  async fetch() {
    started ??= start();
    const problems = await started;
    // More files than the engine holds, so that some are parsed again.
    const files = Array.from({ length: 2_000 }, (_, number) => canfetch.parse(`User-agent: *\nDisallow: /${number}`));
    const disallowed = files.filter((file, number) => !file.allows(`/${number}`, "ExampleBot")).length;
    return Response.json({ version: use(canfetch, robotsParser), problems, disallowed });
  },
};
