/** Asks the engine of a server: one line of JSON for each file. */

import { createInterface } from "node:readline";

import { ServerEngine } from "../../../page/src/engine/server-engine.js";
import type { AgentChain, EngineError } from "../../../page/src/engine/types.js";
import { Server } from "../../../page/src/server.js";
import { Token } from "../../../page/src/token.js";

interface Question {
  readonly content: string;
  readonly bytes: string | null;
  readonly url: string | null;
  readonly profile: string;
  readonly targets: readonly string[];
  readonly agents: readonly AgentChain[];
  readonly lines: readonly number[];
}

const [address, ...profiles] = process.argv.slice(2);
const engine = new ServerEngine(new Server(address ?? "", new Token()), profiles);

for await (const line of createInterface({ input: process.stdin })) {
  const { content, bytes, url, profile, targets, agents, lines } = JSON.parse(line) as Question;
  await engine.open(bytes === null ? content : new Uint8Array(Buffer.from(bytes, "base64")), { url });
  const replaced = engine.matrix({ profile, targets, agents, compareWith: [] });
  const matrix = await engine.matrix({ profile, targets, agents, compareWith: [] });
  const attempt = (promise: Promise<unknown>): Promise<unknown> =>
    promise.catch((error: EngineError) => ({ error: error.code }));
  const cells = targets.flatMap((target) => agents.map((agent) => ({ target, agent })));
  const answers = {
    replaced: await replaced,
    marks: [...(matrix?.marks ?? [])],
    lines: [...(matrix?.lines ?? [])],
    rowProblems: matrix?.rowProblems,
    columnProblems: matrix?.columnProblems,
    explanations: await Promise.all(cells.map(({ target, agent }) => attempt(engine.explain(target, agent, profile)))),
    readings: await Promise.all(cells.map(({ target, agent }) => attempt(engine.readings(target, agent)))),
    readers: await Promise.all(lines.map((number) => engine.readers(number, agents, profile))),
    info: await engine.info(profile),
  };
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
