/** The buffers of the WebAssembly module: how its input is written, and its output read. */

import type { GroupChoice, Reason } from "../api-types.js";
import { displayText } from "./display-text.js";
import { type AgentChain, EngineError } from "./types.js";

export type Target = string | Uint8Array;

/** The functions of the module that both the page and the npm package call. */
export interface ModuleExports {
  readonly memory: WebAssembly.Memory;
  canfetch_input(length: number): number;
  canfetch_output(): number;
  canfetch_output_length(): number;
  canfetch_profiles(): number;
  canfetch_open(maxBytes: number): number;
  canfetch_close(handle: number): number;
  canfetch_explain(handle: number, profile: number): number;
}

/** The reasons by their numbers. */
export const REASONS: readonly Reason[] = [
  "robots-txt",
  "no-group",
  "no-match",
  "allow-rule",
  "disallow-rule",
  "empty-rule",
];
/** How groups are selected, by number. */
const CHOICES: readonly GroupChoice[] = ["own-token", "fallback", "star", "none"];

/** Appends numbers and bytes to a buffer that grows. */
export class InputWriter {
  length = 0;
  #buffer: Uint8Array;

  constructor(size = 4096) {
    this.#buffer = new Uint8Array(size);
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  list<T>(items: readonly T[], write: (writer: this, item: T) => void): this {
    this.#number(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  target(target: Target): this {
    return this.#bytes(target);
  }

  agent({ tokens, starApplies }: AgentChain): this {
    this.#number(starApplies ? 1 : 0);
    return this.list(tokens, (writer, token) => writer.#bytes(token));
  }

  #number(number: number): void {
    this.#reserve(4);
    new DataView(this.#buffer.buffer).setUint32(this.length, number, true);
    this.length += 4;
  }

  #bytes(value: Target): this {
    const start = this.length;
    this.#number(0);
    if (typeof value === "string") {
      // UTF-8 takes at most three bytes for each unit of UTF-16.
      this.#reserve(value.length * 3);
      this.length += encoder.encodeInto(value, this.#buffer.subarray(this.length)).written;
    } else {
      this.#reserve(value.length);
      this.#buffer.set(value, this.length);
      this.length += value.length;
    }
    new DataView(this.#buffer.buffer).setUint32(start, this.length - start - 4, true);
    return this;
  }

  #reserve(length: number): void {
    if (this.length + length <= this.#buffer.length) return;
    const larger = new Uint8Array((this.length + length) * 2);
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

const encoder = new TextEncoder();

/** Reads numbers and bytes from the start of an output. */
export class OutputReader {
  readonly #view: DataView;
  #at = 0;

  constructor(readonly buffer: ArrayBuffer) {
    this.#view = new DataView(buffer);
  }

  /** Return a reader of the output of the last call: a copy, because the next call overwrites it. */
  static of(exports: ModuleExports): OutputReader {
    const length = exports.canfetch_output_length();
    const address = exports.canfetch_output() >>> 0;
    return new OutputReader(exports.memory.buffer.slice(address, address + length) as ArrayBuffer);
  }

  number(): number {
    const number = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return number;
  }

  choice<T>(choices: readonly T[]): T {
    const number = this.number();
    const choice = choices[number];
    if (choice === undefined) throw new EngineError("stopped", `unknown number ${number}`);
    return choice;
  }

  /** Read as many numbers. */
  numbers(length: number): Uint32Array {
    const end = this.#at + length * 4;
    // A copy, because the numbers may start at any byte.
    const numbers = new Uint32Array(this.buffer.slice(this.#at, end));
    this.#at = end;
    return numbers;
  }

  /** Read a number, and then as many others. */
  list(): Uint32Array {
    return this.numbers(this.number());
  }

  bytes(): Uint8Array {
    const length = this.number();
    const bytes = new Uint8Array(this.buffer, this.#at, length);
    this.#at += length;
    return bytes;
  }

  text(): string {
    return displayText(this.bytes());
  }

  rest(): Uint8Array {
    return new Uint8Array(this.buffer.slice(this.#at));
  }
}

/** Return the names of the profiles. */
export function readProfiles(exports: ModuleExports): string[] {
  const count = exports.canfetch_profiles();
  const output = OutputReader.of(exports);
  return Array.from({ length: count }, () => output.text());
}

/** Read the beginning of an explanation. The target and the rules that match follow. */
export function readDecision(output: OutputReader, { tokens }: AgentChain) {
  const reason = output.choice(REASONS);
  const choice = output.choice(CHOICES);
  const token = tokens[output.number()] ?? (choice === "star" ? "*" : null);
  const decides = output.number() === 1;
  return { reason, decides, group: { choice, token, lines: [...output.list()], ignoredStarLines: [...output.list()] } };
}
