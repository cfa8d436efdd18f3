/** `parse` and what it returns. */

import { displayText } from "../../page/src/engine/display-text.js";
import { originOf, originOfFile } from "../../page/src/engine/origin.js";
import { DEFAULT_MAX_BYTES, type AgentChain } from "../../page/src/engine/types.js";
import type * as types from "../types/index.js";
import { agentChain } from "./agents.js";
import { currentEngine } from "./engine.js";
import { File, INVALID_URL, type Slot } from "./files.js";
import { requireAttached, requireOptions, shown, typeError } from "./problems.js";
import { encodeText } from "./text.js";
import { Verdict } from "./verdict.js";

/** The largest size limit. The engine takes no larger input than this and 16 bytes. */
const MAX_BYTES_LIMIT = (1 << 26) - 16;
/** The profiles in which a crawler without a delay of its own has that of the `*` groups. */
const CRAWL_DELAY_OF_STAR: readonly string[] = ["bing"];

const OPTIONS: readonly string[] = ["profile", "maxBytes", "url"];

/** What `new URL` reads as something else than the engine. */
const UNLIKE_URL = /[\t\n\r\\]|^(?:[\0- ]|\/\/\/)|[\0- ]$|\?[^#]*'|\p{Surrogate}/u;
/** The beginning of a URL with a host, or of a path, with such characters. */
const START = /^[\0- ]*(?:[a-z][a-z0-9+.\-\t\n\r]*:[\t\n\r]*[/\\][\t\n\r]*)?[/\\]/i;

const decoder = new TextDecoder();

/** Frees the memory in the engine of files that are no longer in use. It must not refer to their content. */
export const freeWhenCollected =
  typeof FinalizationRegistry === "undefined" ? null : new FinalizationRegistry<Slot>((slot) => slot.close());

interface Origin {
  readonly scheme: string;
  readonly origin: string;
  /** The beginning of URLs of this origin in the usual form. */
  readonly prefix: string;
  readonly robotsURL: string;
}

export class RobotsTxt implements Omit<types.RobotsTxt, typeof Symbol.dispose> {
  readonly profile: string;
  readonly #file: File;
  readonly #origin: Origin | null;
  #sitemaps: readonly string[] | null = null;

  constructor(file: File, profile: string, origin: Origin | null) {
    this.#file = file;
    this.profile = profile;
    this.#origin = origin;
    freeWhenCollected?.register(this, file.slot, this);
  }

  allows(url: types.AnyURL, agent: string | types.Agent): boolean {
    // Keys of several tokens have line breaks.
    if (typeof agent === "string" && !agent.includes("\n")) return this.#allows(url, agent, null);
    const chain = agentChain(agent);
    return this.#allows(url, agentKey(chain), chain);
  }

  decide(url: types.AnyURL, agent: string | types.Agent): Verdict {
    return this.#explain(url, agentChain(agent));
  }

  rulesFor(agent: string | types.Agent): AgentRules {
    const chain = agentChain(agent);
    const key = agentKey(chain);
    // Reports an invalid token.
    this.#file.bind(key, chain);
    return new AgentRules(this, chain, (url) => this.#allows(url, key, chain));
  }

  get sitemaps(): readonly string[] {
    this.#sitemaps ??= Object.freeze(
      this.#file
        .others()
        .filter(({ isSitemap }) => isSitemap)
        .map(({ value }) => displayText(value))
        .filter((value) => value !== ""),
    );
    return this.#sitemaps;
  }

  crawlDelay(agent: string | types.Agent): number | null {
    const chain = agentChain(agent);
    const delay = this.#longestDelay(chain);
    const isOfStar = delay === null && chain.starApplies && CRAWL_DELAY_OF_STAR.includes(this.profile);
    return isOfStar ? this.#longestDelay({ tokens: ["*"], starApplies: true }) : delay;
  }

  dispose(): void {
    freeWhenCollected?.unregister(this);
    this.#file.dispose();
    this.#sitemaps = null;
  }

  /** The base of paths. Without an origin, only their paths count. */
  get #base(): string {
    return this.#origin?.robotsURL ?? "http://a";
  }

  #allows(url: types.AnyURL, key: string, chain: AgentChain | null): boolean {
    const target = urlTarget(url, this.#base);
    const decision = this.#file.decide(key, chain, target);
    if (decision < 0 || this.#origin !== null) this.#checkURL(target, decision);
    return File.isAllowed(decision);
  }

  #explain(url: types.AnyURL, chain: AgentChain): Verdict {
    this.#file.bind(agentKey(chain), chain);
    const target = urlTarget(url, this.#base);
    const explained = this.#file.explain(chain, target);
    this.#checkURL(target, typeof explained === "number" ? explained : 0);
    return new Verdict(explained as Exclude<typeof explained, number>, chain, this.profile);
  }

  /** Check that a URL is valid, as its decision shows, and that this file governs it. */
  #checkURL(target: string | Uint8Array, decision: number): void {
    if (decision === INVALID_URL) throw invalidURL(target);
    if (decision < 0) throw typeError("invalid-url", `invalid URL of ${target.length} bytes: expected at most 64 MiB`);
    const file = this.#origin;
    if (file === null) return;
    const url = typeof target === "string" ? target : decoder.decode(target);
    if (url.startsWith(file.prefix) && /^(?:[/?#]|$)/.test(url.slice(file.prefix.length, file.prefix.length + 1))) return;
    // A path.
    if (url.startsWith("/") && !/^\/\/[^/?#]/.test(url)) return;
    const origin = originOf(url, file.scheme);
    if (origin === null) throw invalidURL(target);
    if (origin === file.origin) return;
    throw typeError("origin-mismatch", `URL ${shown(url)} belongs to another origin than ${file.robotsURL}`);
  }

  #longestDelay(chain: AgentChain): number | null {
    const groups = new Set(this.#file.bind(agentKey(chain), chain).groups);
    const delays = this.#file
      .others()
      .filter(({ key, group }) => key === "crawl-delay" && groups.has(group))
      .map(({ value }) => parseDelay(displayText(value)))
      .filter((delay) => delay !== null);
    // Not as arguments of `Math.max`, of which there may be too many.
    return delays.reduce<number | null>((longest, delay) => Math.max(longest ?? 0, delay), null);
  }
}

export class AgentRules implements types.AgentRules {
  readonly agent: AgentChain;
  // Functions that also work without the object, as in `urls.map(rules.allows)`.
  readonly allows: (url: types.AnyURL) => boolean;
  readonly decide: (url: types.AnyURL) => Verdict;
  readonly #robots: RobotsTxt;

  constructor(robots: RobotsTxt, agent: AgentChain, allows: (url: types.AnyURL) => boolean) {
    this.#robots = robots;
    this.agent = Object.freeze({ tokens: Object.freeze([...agent.tokens]), starApplies: agent.starApplies });
    this.allows = allows;
    this.decide = (url) => robots.decide(url, this.agent);
  }

  get crawlDelay(): number | null {
    return this.#robots.crawlDelay(this.agent);
  }
}

// Consoles show the names, which the build shortens.
for (const [name, type] of Object.entries({ RobotsTxt, AgentRules, Verdict })) {
  Object.defineProperty(type, "name", { value: name });
}

// Older browsers lack the symbol.
Object.defineProperty(RobotsTxt.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value: RobotsTxt.prototype.dispose,
  writable: true,
  configurable: true,
});

/** See `types/index.d.ts`. */
export function parse(content: types.Content, options: types.ParseOptions = {}): RobotsTxt & Disposable {
  if (typeof options !== "object" || options === null) {
    throw typeError("invalid-option", `invalid options ${shown(options)}: expected an object such as { profile: 'google' }`);
  }
  requireOptions(options, OPTIONS);
  const { profile = "rfc9309", maxBytes = DEFAULT_MAX_BYTES, url = null } = options;
  const index = currentEngine().profiles.indexOf(profile);
  if (index < 0) {
    const expected = currentEngine().profiles.join(", ");
    throw typeError("unknown-profile", `unknown profile ${shown(profile)}: expected one of ${expected}`);
  }
  if (!Number.isInteger(maxBytes) || maxBytes < DEFAULT_MAX_BYTES || maxBytes > MAX_BYTES_LIMIT) {
    throw typeError(
      "invalid-limit",
      `invalid maxBytes ${shown(maxBytes)}: expected an integer from ${DEFAULT_MAX_BYTES} to ${MAX_BYTES_LIMIT}`,
    );
  }
  const bytes = contentBytes(content, maxBytes);
  const origin = url === null ? null : fileOrigin(url);
  return new RobotsTxt(new File(bytes, maxBytes, index), profile, origin) as RobotsTxt & Disposable;
}

/** Return a copy of the bytes that count: those within the limit, and a few that show that there are more. */
export function contentBytes(content: types.Content, maxBytes: number): Uint8Array {
  // No character has fewer bytes than units of UTF-16.
  if (typeof content === "string") {
    const bytes = encodeText(content.slice(0, maxBytes + 8));
    return bytes.length > maxBytes + 8 ? bytes.slice(0, maxBytes + 8) : bytes;
  }
  if (ArrayBuffer.isView(content)) {
    requireAttached(content.buffer, "invalid-content", content);
    return new Uint8Array(content.buffer, content.byteOffset, Math.min(content.byteLength, maxBytes + 8)).slice();
  }
  const tag = Object.prototype.toString.call(content);
  if (tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]") {
    requireAttached(content, "invalid-content", content);
    return new Uint8Array(content).slice(0, maxBytes + 8);
  }
  const promise = typeof (content as unknown as PromiseLike<unknown> | null)?.then === "function";
  throw typeError(
    "invalid-content",
    `invalid content ${shown(content)}: expected a string, an ArrayBuffer, or a Uint8Array or another view` +
      (promise ? "; await the promise first" : ""),
  );
}

function fileOrigin(url: unknown): Origin {
  const text = urlTarget(url as types.AnyURL);
  const robotsURL = typeof text === "string" ? text : decoder.decode(text);
  const file = originOfFile(robotsURL);
  if (file === null) {
    throw typeError(
      "invalid-robots-url",
      `invalid URL ${shown(robotsURL)} of a robots.txt: expected one such as 'https://example.com/robots.txt'`,
    );
  }
  return { ...file, robotsURL, prefix: robotsURL.slice(0, robotsURL.indexOf("/robots.txt")) };
}

/** Return a URL as the engine takes it: text as `new URL` and `fetch` read it. */
function urlTarget(url: types.AnyURL, base?: string): string | Uint8Array {
  if (typeof url === "string") {
    if (!UNLIKE_URL.test(url)) return url;
    try {
      if (START.test(url)) return new URL(url, base).href;
    } catch {}
    throw invalidURL(url);
  }
  // Not `instanceof`, which rejects the arrays of other realms.
  if (ArrayBuffer.isView(url) && url[Symbol.toStringTag] === "Uint8Array") {
    requireAttached(url.buffer, "invalid-url", url);
    return url;
  }
  const { href } = (url ?? {}) as { href?: unknown };
  if (typeof href === "string") return href;
  throw typeError("invalid-url", `invalid URL ${shown(url)}: expected a string, a URL or a Uint8Array`);
}

function invalidURL(target: string | Uint8Array): TypeError {
  const url = typeof target === "string" ? target : displayText(target);
  const expected = /^[a-z][a-z0-9+.-]*:\/\//i.test(url)
    ? "a valid host and port after '://'"
    : "an absolute URL, '//host/path', or a path starting with '/'";
  return typeError("invalid-url", `invalid URL ${shown(url)}: expected ${expected}`);
}

/** Return a key for an agent that is not a string. No product token contains a line end. */
function agentKey({ tokens, starApplies }: AgentChain): string {
  return `${starApplies}\n${tokens.join("\n")}`;
}

/** Parse a delay as `core/extensions/crawl_delay.py` does. */
function parseDelay(value: string): number | null {
  if (!/^(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)$/.test(value)) return null;
  return Number(`0${value.replace(",", ".").replace(/^0+/, "").slice(0, 32)}`);
}
