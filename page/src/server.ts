/** The HTTP API of the server that sent this page. The page sends requests to no other server. */

import type { ProblemDetails } from "./api-types.js";
import type { Token } from "./token.js";

const UNAUTHORIZED = 401;

/** What went wrong: the problem document of an answer, or `status` 0 if there is no answer. */
export type Problem = Pick<ProblemDetails, "title" | "status"> & Partial<ProblemDetails>;

/** Raised when the server answers with a problem, or not at all (status 0). */
export class ServerError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** What answers the requests of the page: the server, or in a static site the worker of the linter. */
export interface Answers {
  /** POST JSON and return the JSON of the answer. An aborted request raises an `AbortError`. */
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>;
  /** GET and return the JSON of the answer. An aborted request raises an `AbortError`. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
}

export class Server implements Answers {
  readonly #token: Token;

  /** `base` is relative to the page, such as `v1/`. */
  constructor(
    readonly base: string,
    token: Token,
  ) {
    this.#token = token;
  }

  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.#authorized<T>(path, { method: "POST", body: JSON.stringify(body) }, signal);
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#authorized<T>(path, {}, signal);
  }

  async #authorized<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    const token = this.#token.value;
    const headers = {
      ...(init.body ? { "content-type": "application/json" } : {}),
      accept: "application/json, application/problem+json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    try {
      return await this.#request<T>(path, { ...init, headers, ...(signal ? { signal } : {}) });
    } catch (error) {
      if (!(error instanceof ServerError) || error.problem.status !== UNAUTHORIZED) throw error;
      if (!(await this.#token.renew(token))) throw error;
      return this.#authorized<T>(path, init, signal);
    }
  }

  async #request<T>(path: string, init: RequestInit): Promise<T> {
    let response: Response;
    try {
      response = await fetch(this.base + path, { ...init, cache: "no-store", credentials: "same-origin" });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new ServerError({ title: "unreachable", status: 0 });
    }
    if (!response.ok) {
      const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
      throw new ServerError({ title: response.statusText, ...problem, status: response.status });
    }
    return (await response.json()) as T;
  }
}
