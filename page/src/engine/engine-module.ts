/** The WebAssembly module: its functions with typed arguments and results. `rust/wasm` is the other side. */

import { InputWriter, type ModuleExports, OutputReader, readDecision, readProfiles, REASONS, type Target } from "./buffers.js";
import { displayText } from "./display-text.js";
import {
  type AgentChain,
  DEFAULT_MAX_BYTES,
  EngineError,
  type EngineErrorCode,
  type Encoding,
  type Explanation,
  type FileGroup,
  type FileInfo,
  LINE_KINDS,
  type MatchingRule,
  type PathPart,
  type Reading,
  type Readers,
} from "./types.js";

interface Exports extends ModuleExports {
  canfetch_set_targets(): number;
  canfetch_set_agents(): number;
  canfetch_matrix(handle: number, profile: number, first: number, count: number): number;
  canfetch_differences(handle: number, profile: number, others: number, first: number, count: number): number;
  canfetch_readings(handle: number): number;
  canfetch_info(handle: number, profile: number): number;
  canfetch_readers(handle: number, profile: number, line: number): number;
}

const FAILURES: Readonly<Record<number, EngineErrorCode>> = {
  [-1]: "unknown-document",
  [-2]: "unknown-profile",
  [-3]: "malformed-input",
  [-4]: "too-large",
  [-5]: "invalid-limit",
  [-6]: "invalid-url",
  [-7]: "invalid-token",
};
const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-16-le", "utf-16-be"];

/** The status of a target. */
export const TARGET_STATUS = { path: 0, url: 1, invalid: 2 } as const;

export class EngineModule {
  /** The names of the profiles that the module reads. */
  readonly profiles: readonly string[];
  readonly #exports: Exports;

  private constructor(instance: WebAssembly.Instance) {
    this.#exports = instance.exports as unknown as Exports;
    this.profiles = readProfiles(this.#exports);
  }

  /** Instantiate a compiled module. It has no imports. */
  static async instantiate(module: WebAssembly.Module): Promise<EngineModule> {
    return new EngineModule(await WebAssembly.instantiate(module));
  }

  /** Open a file, and return its handle. */
  open(content: Uint8Array, maxBytes = DEFAULT_MAX_BYTES): number {
    this.#input(content.length).set(content);
    return this.#check(this.#exports.canfetch_open(maxBytes));
  }

  close(handle: number): void {
    this.#check(this.#exports.canfetch_close(handle));
  }

  /** Set the rows of the matrix, and return the status of each. */
  setTargets(targets: readonly Target[]): Uint8Array {
    this.#send(new InputWriter().list(targets, (writer, target) => writer.target(target)));
    this.#check(this.#exports.canfetch_set_targets());
    return OutputReader.of(this.#exports).rest();
  }

  /** Set the columns of the matrix, and return 1 for each valid agent, otherwise 0. */
  setAgents(agents: readonly AgentChain[]): Uint8Array {
    this.#send(new InputWriter().list(agents, (writer, agent) => writer.agent(agent)));
    this.#check(this.#exports.canfetch_set_agents());
    return OutputReader.of(this.#exports).rest();
  }

  /** Return the marks and the lines of some rows. */
  matrix(handle: number, profile: string, first: number, count: number): { marks: Uint8Array; lines: Uint32Array } {
    const cells = this.#check(this.#exports.canfetch_matrix(handle, this.#profile(profile), first, count));
    const output = OutputReader.of(this.#exports);
    return { lines: output.numbers(cells), marks: output.rest() };
  }

  /** Return 1 for each cell of some rows whose verdict differs in one of the profiles `others`, otherwise 0. */
  differences(
    handle: number,
    profile: string,
    others: readonly string[],
    first: number,
    count: number,
  ): Uint8Array {
    const bits = others.reduce((sum, other) => sum | (1 << this.#profile(other)), 0);
    this.#check(this.#exports.canfetch_differences(handle, this.#profile(profile), bits, first, count));
    return OutputReader.of(this.#exports).rest();
  }

  explain(handle: number, profile: string, target: Target, agent: AgentChain): Explanation {
    this.#send(new InputWriter().target(target).agent(agent));
    this.#check(this.#exports.canfetch_explain(handle, this.#profile(profile)));
    const output = OutputReader.of(this.#exports);
    const { reason, decides, group } = readDecision(output, agent);
    const path = output.bytes();
    const rules = Array.from({ length: output.number() }, () => readRule(output, path));
    return {
      allowed: reason !== "disallow-rule",
      reason,
      rule: decides ? (rules[0] ?? null) : null,
      alsoMatched: decides ? rules.slice(1) : rules,
      group,
      target: displayText(path),
    };
  }

  /** Return the verdict of every profile. */
  readings(handle: number, target: Target, agent: AgentChain): Reading[] {
    this.#send(new InputWriter().target(target).agent(agent));
    this.#check(this.#exports.canfetch_readings(handle));
    const output = OutputReader.of(this.#exports);
    return this.profiles.map((profile) => {
      const reason = output.choice(REASONS);
      return { profile, allowed: reason !== "disallow-rule", reason, line: output.number() || null };
    });
  }

  info(handle: number, profile: string): FileInfo {
    this.#check(this.#exports.canfetch_info(handle, this.#profile(profile)));
    const output = OutputReader.of(this.#exports);
    const bytes = output.number();
    const unreadBytes = output.number();
    const encoding = output.choice(ENCODINGS);
    const firstUnreadLine = output.number() || null;
    const lineCount = output.number();
    const groups = Array.from({ length: output.number() }, () => readGroup(output));
    const lineGroups = output.numbers(lineCount);
    return { bytes, unreadBytes, encoding, lineCount, firstUnreadLine, groups, lineGroups, lineKinds: output.rest() };
  }

  readers(handle: number, profile: string, line: number, agents: readonly AgentChain[]): Readers {
    this.#send(new InputWriter().list(agents, (writer, agent) => writer.agent(agent)));
    this.#check(this.#exports.canfetch_readers(handle, this.#profile(profile), line));
    const output = OutputReader.of(this.#exports);
    const kind = output.choice(LINE_KINDS);
    const group = output.number();
    return { kind, group: group === 0 ? null : group - 1, reads: [...output.rest()].map((reads) => reads === 1) };
  }

  #profile(name: string): number {
    const index = this.profiles.indexOf(name);
    if (index < 0) throw new EngineError("unknown-profile", name);
    return index;
  }

  #check(result: number): number {
    if (result < 0) throw new EngineError(FAILURES[result] ?? "stopped");
    return result;
  }

  #input(length: number): Uint8Array {
    const address = this.#exports.canfetch_input(length) >>> 0;
    if (address === 0) throw new EngineError("too-large", `${length} bytes`);
    return new Uint8Array(this.#exports.memory.buffer, address, length);
  }

  #send(writer: InputWriter): void {
    this.#input(writer.length).set(writer.bytes);
  }
}

function readRule(output: OutputReader, path: Uint8Array): MatchingRule {
  const line = output.number();
  const allow = output.number() === 1;
  const specificity = output.number();
  const pattern = displayText(output.bytes());
  const parts: PathPart[] = [];
  let end = 0;
  const add = (to: number, matched: boolean): void => {
    if (to > end) parts.push({ text: displayText(path.subarray(end, to)), matched });
    end = to;
  };
  for (let spans = output.number(); spans > 0; spans--) {
    add(output.number(), false);
    add(output.number(), true);
  }
  add(path.length, false);
  return { allow, pattern, line, specificity, path: parts };
}

function readGroup(output: OutputReader): FileGroup {
  const ruleCount = output.number();
  const userAgents = Array.from({ length: output.number() }, () => ({
    line: output.number(),
    token: displayText(output.bytes()),
  }));
  return { userAgents, ruleCount };
}
