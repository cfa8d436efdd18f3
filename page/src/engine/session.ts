/** One file and one matrix of questions about it, on the module. Runs in the worker. */

import type { Target } from "./buffers.js";
import { EngineModule, TARGET_STATUS } from "./engine-module.js";
import { originOf, originOfFile } from "./origin.js";
import {
  type AgentChain,
  type ColumnProblem,
  EngineError,
  type Explanation,
  type FileInfo,
  MARKS,
  type Reading,
  type Readers,
  type RowProblem,
  type Verdicts,
} from "./types.js";

/** The cells between two checks whether a question is still of interest. */
const CELLS_AT_ONCE = 20_000;

/** Resolves to false if the question is no longer of interest. */
export type Proceed = () => Promise<boolean>;

const decoder = new TextDecoder();

export class Session {
  readonly #module: EngineModule;
  #handle: number | null = null;
  #file: { scheme: string; origin: string } | null = null;
  #targets: readonly Target[] = [];
  #statuses: Uint8Array = new Uint8Array();
  #rowProblems: (RowProblem | null)[] = [];
  #columnProblems: (ColumnProblem | null)[] = [];

  constructor(module: EngineModule) {
    this.#module = module;
  }

  get profiles(): readonly string[] {
    return this.#module.profiles;
  }

  /**
   * Open a file instead of the last one. It is parsed when it is first asked about.
   *
   * `url` is the address of the robots.txt, if it is known: URLs of other origins then have no verdict.
   */
  open(content: Uint8Array, url: string | null, maxBytes?: number): void {
    const file = url === null ? null : originOfFile(url);
    if (url !== null && file === null) throw new EngineError("invalid-robots-url", url);
    const handle = this.#module.open(content, maxBytes);
    if (this.#handle !== null) this.#module.close(this.#handle);
    this.#handle = handle;
    if (file?.origin === this.#file?.origin) return;
    this.#file = file;
    this.#findRowProblems();
  }

  setTargets(targets: readonly Target[]): void {
    this.#statuses = this.#module.setTargets(targets);
    this.#targets = targets;
    this.#findRowProblems();
  }

  setAgents(agents: readonly AgentChain[]): void {
    this.#columnProblems = [...this.#module.setAgents(agents)].map((valid) => (valid ? null : "invalid-token"));
  }

  /** Return all verdicts, or null if the question is no longer of interest. */
  async verdicts(profile: string, proceed: Proceed): Promise<Verdicts | null> {
    const [rows, columns] = [this.#rowProblems.length, this.#columnProblems.length];
    const marks = new Uint8Array(rows * columns);
    const lines = new Uint32Array(rows * columns);
    const finished = await this.#eachPart(proceed, (first, count) => {
      const part = this.#module.matrix(this.#open(), profile, first, count);
      marks.set(part.marks, first * columns);
      lines.set(part.lines, first * columns);
    });
    if (!finished) return null;
    for (const [row, problem] of this.#rowProblems.entries()) {
      if (problem === null) continue;
      marks.fill(MARKS.unanswered, row * columns, (row + 1) * columns);
      lines.fill(0, row * columns, (row + 1) * columns);
    }
    return { rows, columns, marks, lines, rowProblems: this.#rowProblems, columnProblems: this.#columnProblems };
  }

  /** Return 1 for each cell whose verdict differs in one of the profiles `others`; null as for `verdicts`. */
  async differences(profile: string, others: readonly string[], proceed: Proceed): Promise<Uint8Array | null> {
    const [rows, columns] = [this.#rowProblems.length, this.#columnProblems.length];
    const differs = new Uint8Array(rows * columns);
    // One profile at a time, so that a new question waits only for one.
    for (const other of others) {
      const finished = await this.#eachPart(proceed, (first, count) => {
        const part = this.#module.differences(this.#open(), profile, [other], first, count);
        for (const [at, value] of part.entries()) {
          if (value === 1) differs[first * columns + at] = 1;
        }
      });
      if (!finished || !(await proceed())) return null;
    }
    for (const [row, problem] of this.#rowProblems.entries()) {
      if (problem !== null) differs.fill(0, row * columns, (row + 1) * columns);
    }
    return differs;
  }

  explain(profile: string, target: Target, agent: AgentChain): Explanation {
    const explanation = this.#module.explain(this.#open(), profile, target, agent);
    this.#requireOrigin(target);
    return explanation;
  }

  readings(target: Target, agent: AgentChain): Reading[] {
    const readings = this.#module.readings(this.#open(), target, agent);
    this.#requireOrigin(target);
    return readings;
  }

  info(profile: string): FileInfo {
    return this.#module.info(this.#open(), profile);
  }

  readers(profile: string, line: number, agents: readonly AgentChain[]): Readers {
    return this.#module.readers(this.#open(), profile, line, agents);
  }

  async #eachPart(proceed: Proceed, take: (first: number, count: number) => void): Promise<boolean> {
    const [rows, columns] = [this.#rowProblems.length, this.#columnProblems.length];
    const rowsAtOnce = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, columns)));
    // At least once, so that an unknown profile is an error even without rows.
    let first = 0;
    do {
      if (first > 0 && !(await proceed())) return false;
      const count = Math.min(rowsAtOnce, rows - first);
      take(first, count);
      first += count;
    } while (first < rows);
    return true;
  }

  #open(): number {
    if (this.#handle === null) throw new EngineError("unknown-document");
    return this.#handle;
  }

  #findRowProblems(): void {
    this.#rowProblems = this.#targets.map((target, row) => {
      const status = this.#statuses[row];
      if (status === TARGET_STATUS.invalid) return "invalid-url";
      return status === TARGET_STATUS.url ? this.#originProblem(target) : null;
    });
  }

  /** Compare the origin of a valid target with that of the file. */
  #originProblem(target: Target): RowProblem | null {
    if (this.#file === null) return null;
    const url = typeof target === "string" ? target : decoder.decode(target);
    if (url.startsWith("/") && !/^\/\/[^/?#]/.test(url)) return null;
    const origin = originOf(url, this.#file.scheme);
    if (origin === null) return "invalid-url";
    return origin === this.#file.origin ? null : "other-origin";
  }

  #requireOrigin(target: Target): void {
    const problem = this.#originProblem(target);
    if (problem !== null) throw new EngineError(problem);
  }
}
