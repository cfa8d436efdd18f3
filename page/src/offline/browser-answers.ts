/** The answers of the HTTP API without a server: canfetch in Python runs in a worker, which is loaded on request. */

import { type Answers, type Problem, ServerError } from "../server.js";
import { scriptUrl } from "../trusted-types.js";
import type { FromWorker, ToWorker } from "./messages.js";

interface Waiting {
  readonly path: string;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class BrowserAnswers implements Answers {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  /** The request that the worker answers. It holds no other, so that those that were aborted meanwhile cost nothing. */
  #running: Waiting | null = null;
  #number = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => data.kind === "answer" && this.#answered(data);
    worker.onerror = () => this.#stopped();
  }

  /**
   * Load the worker. A failure raises an error with its reason.
   *
   * `workerUrl` is the script, `folder` the address of the folder with Pyodide, and `report` receives the loaded bytes, and null
   * once Python starts.
   */
  static load(workerUrl: string, folder: string, report: (loaded: number | null) => void): Promise<BrowserAnswers> {
    const worker = new Worker(scriptUrl(workerUrl) as string, { type: "module", name: "canfetch linter" });
    return new Promise<BrowserAnswers>((resolve, reject) => {
      worker.onerror = () => reject(new Error(workerUrl));
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "progress") report(data.loaded);
        else if (data.kind === "starting") report(null);
        else if (data.kind === "ready") resolve(new BrowserAnswers(worker));
        else if (data.kind === "failed") reject(new Error(data.reason));
      };
      const first: ToWorker = { folder: new URL(folder, document.baseURI).href };
      worker.postMessage(first);
    }).catch((error: unknown) => {
      worker.terminate();
      throw error;
    });
  }

  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>(path, JSON.stringify(body), signal);
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#ask<T>(path, "", signal);
  }

  #ask<T>(path: string, body: string, signal: AbortSignal | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ path, body, signal, resolve: resolve as (value: unknown) => void, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running) return;
    const next = this.#waiting.shift();
    if (!next) return;
    if (next.signal?.aborted) {
      next.reject(next.signal.reason);
      this.#next();
      return;
    }
    this.#running = next;
    const message: ToWorker = { id: ++this.#number, path: next.path, body: next.body };
    this.#worker.postMessage(message);
  }

  #answered({ json }: { readonly json: string }): void {
    const running = this.#running;
    this.#running = null;
    const outcome = JSON.parse(json) as { value: unknown } | { problem: Problem };
    if ("value" in outcome) running?.resolve(outcome.value);
    else running?.reject(new ServerError(outcome.problem));
    this.#next();
  }

  /** The worker has ended, for example because it has no memory left. */
  #stopped(): void {
    this.#running?.reject(new ServerError({ title: "the linter has stopped: reload the page", status: 500 }));
    this.#running = null;
    this.#next();
  }
}
