/**
 * The engine of the page: verdicts, explanations and readings from a worker.
 *
 *     const engine = await Engine.start({ moduleURL, newWorker: () => new Worker(policy.createScriptURL(workerURL)) });
 *     await engine.open(text, { url: "https://www.example.com/robots.txt" });
 *     const matrix = await engine.matrix({ profile: "rfc9309", targets, agents, compareWith: [] });
 *     if (matrix !== null) paint(matrix);  // null: a newer question was asked meanwhile
 *
 * The worker answers in the order of the questions. Every method is rejected with an `EngineError`. If the module or the
 * worker stops, all waiting questions are rejected with the code `stopped` or `not-loaded`, `onFailure` is called, and
 * `restart` starts a new worker with the same file.
 */

import type { Answer, Answers, Message, Question } from "./messages.js";
import {
  type AgentChain,
  EngineError,
  type EngineErrorCode,
  type Explanation,
  type FileInfo,
  type Matrix,
  type MatrixQuestion,
  type Reading,
  type Readers,
  type VerdictEngine,
  type Verdicts,
} from "./types.js";

export * from "./types.js";

export interface EngineOptions {
  /** The address of the WebAssembly module, relative to the page. */
  readonly moduleURL: string;
  /** Creates the worker from its script. Only the page may create addresses of scripts. */
  readonly newWorker: () => Worker;
  /** The names of the profiles that the module reads, if they are known before it is loaded. */
  readonly profiles?: readonly string[];
}

/** One pair of functions for each part of an answer. */
interface Waiting {
  readonly resolve: ((value: unknown) => void)[];
  readonly reject: ((error: EngineError) => void)[];
}

type WithoutId<T> = T extends { id: number } ? Omit<T, "id"> : never;

export class Engine implements VerdictEngine {
  /** Called when the engine stops, and has to be restarted. */
  onFailure: ((error: EngineError) => void) | null = null;
  /** The names of the profiles that the engine reads. */
  profiles: readonly string[];
  /** Rejected with `not-loaded` if the module cannot be loaded. Questions can be asked before. */
  readonly loaded: Promise<void>;

  readonly #options: EngineOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;
  #file: { content: Uint8Array; url: string | null } | null = null;
  #sentTargets: readonly (string | Uint8Array)[] | null = null;
  #sentAgents: readonly AgentChain[] | null = null;

  /** Start the worker, which loads the module. */
  constructor(options: EngineOptions) {
    this.#options = options;
    this.profiles = options.profiles ?? [];
    this.loaded = this.restart();
    // Callers that do not wait for it have `onFailure`.
    this.loaded.catch(() => undefined);
  }

  /** Start the worker, and wait until the module is loaded. */
  static async start(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options);
    await engine.loaded;
    return engine;
  }

  /** Start a new worker with the same file. */
  async restart(): Promise<void> {
    this.#stop(new EngineError("stopped", "restarted"));
    const worker = this.#options.newWorker();
    this.#worker = worker;
    // What a worker that was replaced meanwhile still sends does not count.
    const fail = (detail: string): void => {
      if (this.#worker === worker) this.#fail(new EngineError("not-loaded", detail));
    };
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (this.#worker === worker) this.#take(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message ?? "the worker failed");
    };
    // The page compiles the module while the worker starts, and uses its own preloaded copy of the file.
    compile(this.#options.moduleURL).then(
      (module) => worker.postMessage({ kind: "module", module } satisfies Message),
      (error: unknown) => fail(error instanceof Error ? error.message : String(error)),
    );
    this.profiles = await this.#ask<"start">({ kind: "start" });
    if (this.#file !== null) await this.#ask<"open">({ kind: "open", ...this.#file });
  }

  /**
   * Replace the file that all questions are about. Text is encoded as UTF-8; bytes may have any encoding.
   *
   * If `url`, the address of the robots.txt, is given, URLs of other origins have no verdict. Rejected with
   * `invalid-robots-url` if it is not the address of a robots.txt.
   */
  async open(content: string | Uint8Array, { url = null }: { readonly url?: string | null } = {}): Promise<void> {
    const file = { content: typeof content === "string" ? new TextEncoder().encode(content) : content, url };
    await this.#ask<"open">({ kind: "open", ...file });
    this.#file = file;
  }

  /** Return all verdicts; null if a newer question, or another file, makes them outdated. */
  async matrix(question: MatrixQuestion): Promise<Matrix | null> {
    const { profile, targets, agents, compareWith } = question;
    if (targets !== this.#sentTargets) this.#send({ kind: "targets", targets });
    this.#sentTargets = targets;
    if (agents !== this.#sentAgents) this.#send({ kind: "agents", agents });
    this.#sentAgents = agents;
    const [verdicts, differs] = this.#askInParts<[Verdicts | null, Uint8Array | null]>(
      { kind: "matrix", profile, compareWith },
      2,
    );
    // Callers that ignore the differences do not handle their failure.
    differs.catch(() => undefined);
    const answer = await verdicts;
    return answer === null ? null : { ...answer, differs };
  }

  /** Explain one verdict. Rejected with `invalid-url`, `invalid-token` or `other-origin` if there is none. */
  explain(target: string | Uint8Array, agent: AgentChain, profile: string): Promise<Explanation> {
    return this.#ask<"explain">({ kind: "explain", profile, target, agent });
  }

  /** Return the verdict of every profile of this engine. Rejected as `explain`. */
  readings(target: string | Uint8Array, agent: AgentChain): Promise<Reading[]> {
    return this.#ask<"readings">({ kind: "readings", target, agent });
  }

  /** Return the sizes, groups and lines of the file. */
  info(profile: string): Promise<FileInfo> {
    return this.#ask<"info">({ kind: "info", profile });
  }

  /** Return which of the agents read a line, counted from 1. */
  readers(line: number, agents: readonly AgentChain[], profile: string): Promise<Readers> {
    return this.#ask<"readers">({ kind: "readers", profile, line, agents });
  }

  #ask<K extends keyof Answers>(question: WithoutId<Question & { kind: K }>): Promise<Answers[K]> {
    return this.#askInParts<[Answers[K]]>(question as WithoutId<Question>, 1)[0];
  }

  #askInParts<P extends unknown[]>(
    question: WithoutId<Question>,
    count: number,
  ): { [K in keyof P]: Promise<P[K]> } {
    const id = ++this.#lastId;
    const resolvers: Waiting["resolve"] = [];
    const rejecters: Waiting["reject"] = [];
    const promises = Array.from(
      { length: count },
      () =>
        new Promise<unknown>((resolve, reject) => {
          resolvers.push(resolve);
          rejecters.push(reject);
        }),
    );
    this.#waiting.set(id, { resolve: resolvers, reject: rejecters });
    this.#send({ ...question, id } as Question);
    return promises as { [K in keyof P]: Promise<P[K]> };
  }

  #send(message: Message): void {
    if (this.#worker !== null) this.#worker.postMessage(message);
    else if ("id" in message) this.#reject(message.id, new EngineError("stopped"));
  }

  #take(answer: Answer): void {
    if ("error" in answer) {
      const error = new EngineError(answer.error.code, answer.error.detail);
      this.#reject(answer.id, error);
      if (isFatal(error.code)) this.#fail(error);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    waiting.resolve[answer.part]?.(answer.value);
    if (answer.part === waiting.resolve.length - 1) this.#waiting.delete(answer.id);
  }

  #reject(id: number, error: EngineError): void {
    for (const reject of this.#waiting.get(id)?.reject ?? []) reject(error);
    this.#waiting.delete(id);
  }

  #fail(error: EngineError): void {
    if (this.#worker === null) return;
    this.#stop(error);
    this.onFailure?.(error);
  }

  #stop(error: EngineError): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#sentTargets = this.#sentAgents = null;
    for (const id of [...this.#waiting.keys()]) this.#reject(id, error);
  }
}

async function compile(moduleURL: string): Promise<WebAssembly.Module> {
  const response = await fetch(moduleURL);
  if (!response.ok) throw new Error(`${moduleURL}: status ${response.status}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  // A server that sends static files may not know the type.
  return WebAssembly.compile(await response.arrayBuffer());
}

function isFatal(code: EngineErrorCode): boolean {
  return code === "stopped" || code === "not-loaded";
}
