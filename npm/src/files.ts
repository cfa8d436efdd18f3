/** Parsed files in the memory of the engine. A file whose memory was freed is parsed again when it is next used. */

import type { Target } from "../../page/src/engine/buffers.js";
import type { AgentChain } from "../../page/src/engine/types.js";
import { agentChain, invalidToken } from "./agents.js";
import { type Bound, currentEngine, discardEngine, type Explained, FAILURES, type OtherRecord } from "./engine.js";
import { typeError } from "./problems.js";

/** The largest number of files in the engine, and of their bytes. The engine itself has room for 1024 files. */
const MAX_OPEN_FILES = 1000;
const MAX_OPEN_BYTES = 1 << 23;
/** The largest number of agents that a file is bound to, and of their rules in total, as in `core/document.py`. */
const MAX_AGENTS = 256;
const MAX_RULES = 65_536;

/** The number of the reason of a disallow rule in a decision. */
const DISALLOW_RULE = 4;

/** The files in the engine. Those at the beginning are removed first. */
const open = new Set<Slot>();
let openBytes = 0;

/** What the engine has of a file. It does not refer to the content, so that it can outlive the file until it is closed. */
export class Slot {
  /** The handle in the engine, or 0. */
  handle = 0;
  bytes = 0;
  /** Whether the file was used since it was last considered for removal. */
  isUsed = false;
  ruleCount = 0;
  /** By the key of the agent. */
  readonly bound = new Map<string, Bound>();

  /** Free the memory of the file in the engine. It is parsed again when it is next used. */
  close(): void {
    if (this.handle === 0) return;
    currentEngine().close(this.handle);
    this.forget();
  }

  forget(): void {
    if (open.delete(this)) openBytes -= this.bytes;
    this.handle = 0;
    this.ruleCount = 0;
    this.bound.clear();
  }
}

export class File {
  readonly profile: number;
  readonly #maxBytes: number;
  /** Null after the file was disposed of. */
  #content: Uint8Array | null;
  readonly slot = new Slot();
  #others: readonly OtherRecord[] | null = null;

  constructor(content: Uint8Array, maxBytes: number, profile: number) {
    this.#content = content;
    this.#maxBytes = maxBytes;
    this.profile = profile;
  }

  /** Whether a result of `decide` allows the URL. */
  static isAllowed(decision: number): boolean {
    return (decision & 7) !== DISALLOW_RULE;
  }

  /**
   * Return the line of the deciding rule times 8 plus the number of the reason, or a negative number.
   *
   * `key` names the agent. If `agent` is null, it is a product token.
   */
  decide(key: string, agent: AgentChain | null, url: Target): number {
    try {
      return this.#decide(key, agent, url);
    } catch (error) {
      return this.#again(error, () => this.#decide(key, agent, url));
    }
  }

  explain(agent: AgentChain, url: Target): Explained | number {
    return this.#attempt(() => {
      this.#open();
      return currentEngine().explain(this.slot.handle, this.profile, url, agent);
    });
  }

  bind(key: string, agent: AgentChain): Bound {
    return this.#attempt(() => this.#bind(key, agent));
  }

  others(): readonly OtherRecord[] {
    this.#requireContent();
    this.#others ??= this.#attempt(() => {
      this.#open();
      return currentEngine().others(this.slot.handle, this.profile);
    });
    return this.#others;
  }

  /** Free the memory of the file in the engine. It is parsed again when it is next used. */
  close(): void {
    this.slot.close();
  }

  /** Free all memory of the file, which can no longer be used. */
  dispose(): void {
    this.close();
    this.#content = null;
    this.#others = null;
  }

  #decide(key: string, agent: AgentChain | null, url: Target): number {
    const bound = this.slot.bound.get(key) ?? this.#bind(key, agent ?? agentChain(key));
    this.slot.isUsed = true;
    return currentEngine().decide(this.slot.handle, bound.number, url);
  }

  #bind(key: string, agent: AgentChain): Bound {
    const known = this.slot.bound.get(key);
    if (known !== undefined) return known;
    if (this.slot.bound.size >= MAX_AGENTS || this.slot.ruleCount > MAX_RULES) this.close();
    this.#open();
    const bound = currentEngine().bind(this.slot.handle, this.profile, agent);
    if (typeof bound === "number") throw invalidToken(agent.tokens);
    this.slot.ruleCount += bound.ruleCount;
    this.slot.bound.set(key, bound);
    return bound;
  }

  #open(): void {
    const content = this.#requireContent();
    this.slot.isUsed = true;
    if (this.slot.handle !== 0) return;
    makeRoom(content.length);
    let handle = currentEngine().open(content, this.#maxBytes);
    if (handle < 0) {
      // The memory is full. No file is larger than the input that the engine accepts.
      for (const slot of open) slot.close();
      handle = currentEngine().open(content, this.#maxBytes);
    }
    if (handle < 0) throw new Error(`no memory for a robots.txt of ${content.length} bytes`);
    this.slot.handle = handle;
    this.slot.bytes = content.length;
    open.add(this.slot);
    openBytes += content.length;
  }

  #requireContent(): Uint8Array {
    if (this.#content === null) throw typeError("disposed", "this robots.txt was disposed of: parse the file again");
    return this.#content;
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      return this.#again(error, work);
    }
  }

  /** Work once more with a new engine, after the engine stopped because it had no memory left. */
  #again<T>(error: unknown, work: () => T): T {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    discardEngine();
    for (const slot of open) slot.forget();
    return work();
  }
}

/** Remove files until there is room. Those that were used since the last time come last. */
function makeRoom(bytes: number): void {
  for (const slot of open) {
    if (open.size < MAX_OPEN_FILES && openBytes + bytes <= MAX_OPEN_BYTES) return;
    if (slot.isUsed) {
      slot.isUsed = false;
      open.delete(slot);
      open.add(slot);
    } else slot.close();
  }
}

/** The number of files in the engine. */
export function openFiles(): number {
  return open.size;
}

/** The result of a decision for a URL that is not valid. */
export const INVALID_URL = FAILURES.invalidURL;
