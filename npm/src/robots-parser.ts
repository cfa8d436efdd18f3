/** The interface of the package robots-parser 3, on the engine of canfetch. */

import { DEFAULT_MAX_BYTES } from "../../page/src/engine/types.js";
import type * as types from "../types/robots-parser.js";
import { currentEngine } from "./engine.js";
import { File } from "./files.js";
import { shown, typeError } from "./problems.js";
import { contentBytes, freeWhenCollected } from "./robots.js";

/**
 * Reads what robots-parser reads. It has the rules of RFC 9309, without the misspelt keys and the lines without a colon
 * that the default profile accepts.
 */
const PROFILE = "google2019";
/** The base of relative URLs. Only relative URLs belong to it. */
const RELATIVE = "http://relative.invalid";
/** URLs that `URL` does not change: a path without dot segments, plain characters, and no empty query. */
const PLAIN_REST = /^\/(?!\.)(?:[\w\-=&~+,:;@!()*$.]|\/(?!\.)|\?(?!$)|%(?!2[eE])[0-9A-Fa-f]{2})*$/;

const STAR = { tokens: ["*"], starApplies: true };

class Robots implements types.Robots {
  readonly #file: File;
  /** The origin, or null if the URL of the file is not valid. */
  readonly #origin: string | null;
  readonly #isWeb: boolean;
  readonly #content: Uint8Array;
  #others: OtherRecords | null = null;

  constructor(url: string, contents: string | Uint8Array | null | undefined) {
    const parsed = parsedURL(url);
    this.#origin = parsed === null ? null : originOf(parsed);
    this.#isWeb = parsed?.protocol === "http:" || parsed?.protocol === "https:";
    const profile = currentEngine().profiles.indexOf(PROFILE);
    this.#content = contentBytes(contents ?? "", DEFAULT_MAX_BYTES);
    this.#file = new File(this.#content, DEFAULT_MAX_BYTES, profile);
    freeWhenCollected?.register(this, this.#file.slot);
  }

  isAllowed(url: string, ua?: string): boolean | undefined {
    const decision = this.#decide(url, productToken(ua), true);
    return decision === undefined ? undefined : File.isAllowed(decision);
  }

  isDisallowed(url: string, ua?: string): boolean {
    return !this.isAllowed(url, ua);
  }

  isExplicitlyDisallowed(url: string, ua?: string): boolean | undefined {
    const decision = this.#decide(url, productToken(ua), false);
    return decision === undefined ? undefined : !File.isAllowed(decision);
  }

  getMatchingLineNumber(url: string, ua?: string): number {
    return (this.#decide(url, productToken(ua), true) ?? 0) >> 3 || -1;
  }

  getCrawlDelay(ua?: string): number | undefined {
    const { delays } = this.#otherRecords();
    const token = productToken(ua).toLowerCase();
    return delays.has(token) ? delays.get(token) : delays.get("*");
  }

  getSitemaps(): string[] {
    return [...this.#otherRecords().sitemaps];
  }

  getPreferredHost(): string | null {
    return this.#otherRecords().host;
  }

  /** Return the decision on a URL, or undefined if this file does not govern it. */
  #decide(url: string, token: string, starApplies: boolean): number | undefined {
    const target = this.#target(url);
    if (target === undefined) return undefined;
    const agent = { tokens: [token], starApplies };
    return this.#file.decide(starApplies ? `*${token}` : token, agent, target);
  }

  /** Return a URL as the engine takes it, or undefined if this file does not govern it. */
  #target(url: string): string | undefined {
    const origin = this.#origin;
    if (origin === null) return undefined;
    // The usual case, for which the whole URL need not be parsed.
    if (this.#isWeb && typeof url === "string" && url.startsWith(origin) && PLAIN_REST.test(url.slice(origin.length))) {
      return url;
    }
    const parsed = parsedURL(url);
    if (parsed === null || originOf(parsed) !== origin) return undefined;
    const path = parsed.pathname + parsed.search;
    // The path of a URL such as `mailto:x` does not start with a slash.
    return path.startsWith("/") ? `${RELATIVE}${path}` : `${RELATIVE}/`;
  }

  #otherRecords(): OtherRecords {
    this.#others ??= readOtherRecords(contentText(this.#content));
    return this.#others;
  }
}

/** Return the content that the engine reads: in UTF-16 if it begins so, and up to the last line end within the limit. */
function contentText(content: Uint8Array): string {
  const isEnd = (byte: number | undefined) => byte === 10 || byte === 13;
  let end = Math.min(content.length, DEFAULT_MAX_BYTES);
  if (end < content.length && !isEnd(content[end])) while (end > 0 && !isEnd(content[end - 1])) end--;
  const [first, second] = content;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(content.subarray(0, end));
}

interface OtherRecords {
  /** By token. A token that has rules but no delay is undefined. */
  readonly delays: ReadonlyMap<string, number | undefined>;
  readonly sitemaps: readonly string[];
  readonly host: string | null;
}

/** Read the records that RFC 9309 does not define. They belong to the user-agent lines directly above their record. */
function readOtherRecords(text: string): OtherRecords {
  const groups: { tokens: string[]; delay: number | undefined; hasRecords: boolean }[] = [];
  const sitemaps: string[] = [];
  let host = null;
  let isBelowTokens = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = line.split("#", 1)[0] as string;
    const colon = record.indexOf(":");
    const [key, value] = [record.slice(0, colon).trim().toLowerCase(), record.slice(colon + 1).trim()];
    if (colon < 0 || key === "") continue;
    if (key === "user-agent" && isBelowTokens) groups.push({ tokens: [], delay: undefined, hasRecords: false });
    const group = groups.at(-1);
    if (key === "user-agent") {
      if (value !== "") group?.tokens.push(productToken(value).toLowerCase());
    } else if (group !== undefined && (key === "allow" || key === "disallow" || key === "crawl-delay")) {
      group.hasRecords = true;
      if (key === "crawl-delay" && !Number.isNaN(Number(value))) group.delay = Number(value);
    } else if (key === "sitemap" && value !== "") sitemaps.push(value);
    else if (key === "host" && value !== "") host = value.toLowerCase();
    isBelowTokens = key !== "user-agent";
  }
  const delays = new Map<string, number | undefined>();
  for (const { tokens, delay, hasRecords } of groups) {
    if (!hasRecords) continue;
    for (const token of tokens) delays.set(token, delay ?? delays.get(token));
  }
  return { delays, sitemaps, host };
}

/** See `types/robots-parser.d.ts`. */
export function robotsParser(url: string, contents?: string | Uint8Array | null): types.Robots {
  return new Robots(url, contents);
}

function parsedURL(url: string): URL | null {
  try {
    return new URL(url, RELATIVE);
  } catch {
    return null;
  }
}

function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** Return the product token of a user agent such as `ExampleBot/1.0`, as in a user-agent line. */
function productToken(ua: string | null | undefined): string {
  if (ua === undefined || ua === null || ua === "") return STAR.tokens[0] as string;
  if (typeof ua !== "string") throw typeError("invalid-agent", `invalid user agent ${shown(ua)}: expected a string`);
  // Of a name without a token, such as `/1.0`, the groups for `*` apply.
  return /^[^\0- /*,\x7f]+/.exec(ua.trim())?.[0] ?? "*";
}
