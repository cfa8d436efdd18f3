/** The running engine: its loading, and its functions with typed arguments and results. */

import { InputWriter, type ModuleExports, OutputReader, readDecision, readProfiles, type Target } from "../../page/src/engine/buffers.js";
import type { AgentChain } from "../../page/src/engine/types.js";
import { displayText } from "../../page/src/engine/display-text.js";
import type { GroupChoice, Reason, Rule } from "../types/index.js";
import { shown, typeError } from "./problems.js";
import { engineBytes, engineBytesAsync } from "./payload.js";
import { encodeText } from "./text.js";

interface Exports extends ModuleExports {
  canfetch_bind(handle: number, profile: number): number;
  canfetch_decide(handle: number, rules: number): number;
  canfetch_others(handle: number, profile: number): number;
}

/** The results of the module that are not numbers of it. */
export const FAILURES = { tooLarge: -4, invalidURL: -6, invalidAgent: -7 } as const;

/** The rules of a file that apply to an agent. */
export interface Bound {
  /** Their number in the module. */
  readonly number: number;
  readonly ruleCount: number;
  /** The indices of the groups. */
  readonly groups: readonly number[];
}

/** A record that is neither a user-agent line nor a rule. */
export interface OtherRecord {
  readonly line: number;
  /** The index of its group, or -1. */
  readonly group: number;
  readonly isSitemap: boolean;
  /** In lower case. */
  readonly key: string;
  readonly value: Uint8Array;
}

export interface Explained {
  readonly reason: Reason;
  readonly choice: GroupChoice;
  readonly token: string | null;
  readonly lines: readonly number[];
  readonly target: string;
  readonly decides: boolean;
  /** The rules that match, in order of precedence. */
  readonly rules: readonly Rule[];
}

/** Enough for an agent, and for most agents with a URL. */
const INPUT_BYTES = 512;

export class Engine {
  /** The names of the profiles. */
  readonly profiles: readonly string[];
  readonly #exports: Exports;
  /** The memory of the module. It is empty after the memory has grown, and is then replaced. */
  #memory: Uint8Array;

  constructor(instance: WebAssembly.Instance) {
    this.#exports = instance.exports as unknown as Exports;
    this.#memory = new Uint8Array(this.#exports.memory.buffer);
    this.profiles = readProfiles(this.#exports);
  }

  /** Open a file. Return its handle, or a negative number if there is no room for it. */
  open(content: Uint8Array, maxBytes: number): number {
    return this.#input(content) ? this.#exports.canfetch_open(maxBytes) : FAILURES.tooLarge;
  }

  close(handle: number): void {
    this.#exports.canfetch_close(handle);
  }

  /** Bind a file to an agent. Return a negative number if the agent is invalid or the file has too many rules. */
  bind(handle: number, profile: number, agent: AgentChain): Bound | number {
    this.#input(new InputWriter(INPUT_BYTES).agent(agent).bytes);
    const number = this.#exports.canfetch_bind(handle, profile);
    if (number < 0) return number;
    const output = OutputReader.of(this.#exports);
    output.number();
    output.number();
    return { number, ruleCount: output.number(), groups: [...output.list()] };
  }

  /** Return the line times 8 plus the number of the reason, or a negative number if the URL is invalid. */
  decide(handle: number, rules: number, url: Target): number {
    // Most URLs are short and have ASCII characters only: a loop is then faster than an encoder.
    if (typeof url === "string") {
      const length = url.length;
      const address = this.#exports.canfetch_input(length) >>> 0;
      if (address === 0) return FAILURES.tooLarge;
      const memory = this.#bytes();
      for (let at = 0; at < length; at++) {
        const code = url.charCodeAt(at);
        if (code > 0x7f) return this.decide(handle, rules, encodeText(url));
        memory[address + at] = code;
      }
    } else if (!this.#input(url)) return FAILURES.tooLarge;
    return this.#exports.canfetch_decide(handle, rules);
  }

  /** Explain a decision, or return a negative number if the URL or the agent is invalid. */
  explain(handle: number, profile: number, url: Target, agent: AgentChain): Explained | number {
    if (!this.#input(new InputWriter(INPUT_BYTES).target(typeof url === "string" ? encodeText(url) : url).agent(agent).bytes)) return FAILURES.tooLarge;
    const result = this.#exports.canfetch_explain(handle, profile);
    if (result < 0) return result;
    const output = OutputReader.of(this.#exports);
    const { reason, decides, group } = readDecision(output, agent);
    const { choice, token, lines } = group;
    const target = output.text();
    const rules = Array.from({ length: output.number() }, () => readRule(output));
    return { reason: reason as Reason, choice, token, lines, target, decides, rules };
  }

  others(handle: number, profile: number): OtherRecord[] {
    const count = this.#exports.canfetch_others(handle, profile);
    const output = OutputReader.of(this.#exports);
    return Array.from({ length: Math.max(0, count) }, () => ({
      line: output.number(),
      group: output.number() - 1,
      isSitemap: output.number() === 1,
      key: output.text().toLowerCase(),
      value: output.bytes(),
    }));
  }

  /** Write the input of a call. Return false if there is no room for it. */
  #input(bytes: Uint8Array): boolean {
    const address = this.#exports.canfetch_input(bytes.length) >>> 0;
    if (address !== 0) this.#bytes().set(bytes, address);
    return address !== 0;
  }

  #bytes(): Uint8Array {
    if (this.#memory.length === 0) this.#memory = new Uint8Array(this.#exports.memory.buffer);
    return this.#memory;
  }
}

function readRule(output: OutputReader): Rule {
  const line = output.number();
  const type = output.number() === 1 ? "allow" : "disallow";
  const specificity = output.number();
  const pattern = displayText(output.bytes());
  // The parts of the target that the rule matches.
  output.numbers(output.number() * 2);
  return { type, pattern, line, specificity };
}

let compiled: WebAssembly.Module | null = null;
let engine: Engine | null = null;

/** Return the engine. It is compiled at the first call, if `load` has not done it. */
export function currentEngine(): Engine {
  if (engine !== null) return engine;
  try {
    compiled ??= new WebAssembly.Module(engineBytes());
    engine = new Engine(new WebAssembly.Instance(compiled));
  } catch (error) {
    throw loadError(error, " synchronously", "call 'await load()' first; ");
  }
  return engine;
}

function loadError(error: unknown, how: string, advice: string): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const problem = new Error(
    `cannot load the engine${how} here (${reason}): ${advice}a page with a ` +
      "Content-Security-Policy needs 'wasm-unsafe-eval', and Cloudflare Workers need 'await load(module)'",
    { cause: error },
  );
  return Object.assign(problem, { code: "engine-not-loaded" });
}

/** Forget the engine and all of its memory. The next call of `currentEngine` returns a new one. */
export function discardEngine(): void {
  engine = null;
}

function requireEngine(module: WebAssembly.Module): void {
  let exports: WebAssembly.ModuleExportDescriptor[];
  try {
    // Not `instanceof`, which rejects the modules of other realms.
    exports = WebAssembly.Module.exports(module);
  } catch {
    throw typeError("invalid-module", `invalid module ${shown(module)}: expected a WebAssembly.Module, or no argument`);
  }
  if (!exports.some(({ name }) => name === "canfetch_decide")) {
    throw typeError("invalid-module", "invalid module: expected the engine of this package, as engineBytes() returns it");
  }
}

async function compileEngine(): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(await engineBytesAsync());
  } catch (error) {
    throw loadError(error, "", "");
  }
}

/** See `types/index.d.ts`. */
export async function load(module?: WebAssembly.Module): Promise<void> {
  if (module !== undefined) requireEngine(module);
  if (engine !== null) return;
  const loaded = module ?? compiled ?? (await compileEngine());
  const instance = await WebAssembly.instantiate(loaded);
  compiled ??= loaded;
  // Another call may have been faster.
  engine ??= new Engine(instance);
}
