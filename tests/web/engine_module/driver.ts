/** Answers questions of the tests: one line of JSON for each file, with several agents, targets and profiles. */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { EngineModule } from "../../../page/src/engine/engine-module.js";
import { Session } from "../../../page/src/engine/session.js";
import { type AgentChain, EngineError } from "../../../page/src/engine/types.js";

interface Question {
  readonly content: string;
  readonly url: string | null;
  readonly max_bytes: number | null;
  readonly profiles: readonly string[];
  readonly agents: readonly AgentChain[];
  readonly targets: readonly string[];
  /** Rows and columns to explain. */
  readonly explain: readonly (readonly [number, number])[];
}

const proceed = (): Promise<boolean> => Promise.resolve(true);
const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

function attempt<T>(work: () => T): T | { error: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof EngineError) return { error: error.code };
    throw error;
  }
}

async function answer(session: Session, question: Question): Promise<unknown> {
  const opened = attempt(() =>
    session.open(bytes(question.content), question.url, question.max_bytes ?? undefined),
  );
  if (opened !== undefined) return opened;
  const targets = question.targets.map(bytes);
  session.setTargets(targets);
  session.setAgents(question.agents);
  const answers: Record<string, unknown> = {};
  for (const profile of question.profiles) {
    const verdicts = await session.verdicts(profile, proceed);
    if (verdicts === null) throw new Error("no verdicts");
    const info = session.info(profile);
    const differs = await session.differences(profile, question.profiles, proceed);
    const explanations = question.explain.map(([row, column]) =>
      attempt(() => session.explain(profile, targets[row]!, question.agents[column]!)),
    );
    const readers = Array.from({ length: Math.min(info.lineCount, 100) }, (_, index) =>
      session.readers(profile, index + 1, question.agents),
    );
    answers[profile] = {
      ...verdicts,
      marks: [...verdicts.marks],
      lines: [...verdicts.lines],
      differs: [...(differs ?? [])],
      info: { ...info, lineKinds: [...info.lineKinds], lineGroups: [...info.lineGroups] },
      explanations,
      readers,
    };
  }
  const readings = question.explain.map(([row, column]) =>
    attempt(() => session.readings(targets[row]!, question.agents[column]!)),
  );
  return { answers, readings };
}

const path = process.argv[2];
if (path === undefined) throw new Error("usage: driver.mjs MODULE");
const session = new Session(await EngineModule.instantiate(await WebAssembly.compile(readFileSync(path))));
process.stdout.write(`${JSON.stringify(session.profiles)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(session, JSON.parse(line) as Question))}\n`);
}
