/** Two engines as one: that of the worker, and that of the server for the profiles that only the server has. */

import type {
  AgentChain,
  EngineError,
  Explanation,
  FileInfo,
  Matrix,
  MatrixQuestion,
  Reading,
  Readers,
  VerdictEngine,
} from "./types.js";

export class RoutedEngine implements VerdictEngine {
  readonly profiles: readonly string[];
  readonly #own: VerdictEngine;
  readonly #server: VerdictEngine;

  constructor(own: VerdictEngine, server: VerdictEngine) {
    this.#own = own;
    this.#server = server;
    this.profiles = [...own.profiles, ...server.profiles.filter((profile) => !own.profiles.includes(profile))];
  }

  get loaded(): Promise<void> {
    return this.#own.loaded;
  }

  get onFailure(): ((error: EngineError) => void) | null {
    return this.#own.onFailure;
  }

  set onFailure(listener: ((error: EngineError) => void) | null) {
    this.#own.onFailure = listener;
  }

  async open(content: string | Uint8Array, options?: { readonly url?: string | null }): Promise<void> {
    await Promise.all([this.#own.open(content, options), this.#server.open(content, options)]);
  }

  matrix(question: MatrixQuestion): Promise<Matrix | null> {
    return this.#of(question.profile).matrix(question);
  }

  explain(target: string | Uint8Array, agent: AgentChain, profile: string): Promise<Explanation> {
    return this.#of(profile).explain(target, agent, profile);
  }

  readings(target: string | Uint8Array, agent: AgentChain): Promise<Reading[]> {
    return this.#own.readings(target, agent);
  }

  info(profile: string): Promise<FileInfo> {
    return this.#of(profile).info(profile);
  }

  readers(line: number, agents: readonly AgentChain[], profile: string): Promise<Readers> {
    return this.#of(profile).readers(line, agents, profile);
  }

  #of(profile: string): VerdictEngine {
    return this.#own.profiles.includes(profile) ? this.#own : this.#server;
  }
}
