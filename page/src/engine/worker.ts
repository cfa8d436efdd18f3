/** The worker: answers the messages of `engine.ts` in order, and drops questions that a newer one replaces. */

import { EngineModule } from "./engine-module.js";
import type { Answer, Answers, Message, Question, QueuedMessage } from "./messages.js";
import { Session } from "./session.js";
import { EngineError } from "./types.js";

// `lib` has the types of pages only.
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Message>) => void) | null;
  postMessage(message: Answer): void;
};

const queue: QueuedMessage[] = [];
let running = false;
let session: Session | null = null;
const compiled = Promise.withResolvers<WebAssembly.Module>();

// Messages that have arrived meanwhile are delivered before the message of this channel.
const channel = new MessageChannel();
let resume: (() => void) | null = null;
channel.port1.onmessage = () => resume?.();

function pause(): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve;
    channel.port2.postMessage(null);
  });
}

scope.onmessage = ({ data }) => {
  if (data.kind === "module") {
    compiled.resolve(data.module);
    return;
  }
  queue.push(data);
  if (!running) void run();
};

async function run(): Promise<void> {
  running = true;
  await pause();
  for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
    try {
      await handle(message);
    } catch (error) {
      if ("id" in message) scope.postMessage({ id: message.id, error: describe(error) });
    }
  }
  running = false;
}

async function handle(message: QueuedMessage): Promise<void> {
  if (message.kind === "start") {
    session = new Session(await EngineModule.instantiate(await compiled.promise));
    answer(message, session.profiles);
    return;
  }
  if (session === null) throw new EngineError("not-loaded");
  switch (message.kind) {
    case "open":
      session.open(message.content, message.url);
      return answer(message, null);
    case "targets":
      return session.setTargets(message.targets);
    case "agents":
      return session.setAgents(message.agents);
    case "matrix":
      return answerMatrix(session, message);
    case "explain":
      return answer(message, session.explain(message.profile, message.target, message.agent));
    case "readings":
      return answer(message, session.readings(message.target, message.agent));
    case "info":
      return answer(message, session.info(message.profile));
    case "readers":
      return answer(message, session.readers(message.profile, message.line, message.agents));
  }
}

/** Answer with the verdicts first, because other profiles take several times as long. */
async function answerMatrix(session: Session, question: Question & { kind: "matrix" }): Promise<void> {
  const proceed = async (): Promise<boolean> => {
    await pause();
    return !isReplaced();
  };
  const verdicts = isReplaced() ? null : await session.verdicts(question.profile, proceed);
  answer(question, verdicts);
  const { profile, compareWith } = question;
  const differs = verdicts !== null && (await proceed()) ? await session.differences(profile, compareWith, proceed) : null;
  answer(question, differs, 1);
}

/** Whether a newer question, or another file, is waiting. */
function isReplaced(): boolean {
  return queue.some(({ kind }) => kind === "matrix" || kind === "open" || kind === "targets" || kind === "agents");
}

function answer(question: Question, value: Answers[keyof Answers], part = 0): void {
  scope.postMessage({ id: question.id, part, value });
}

function describe(error: unknown): { code: EngineError["code"]; detail: string } {
  if (error instanceof EngineError) return { code: error.code, detail: error.message };
  return { code: "stopped", detail: error instanceof Error ? error.message : String(error) };
}
