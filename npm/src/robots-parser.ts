/** The interface of the package robots-parser 3, on the engine of canfetch. */

import { DEFAULT_MAX_BYTES } from "../../page/src/engine/types.js";
import type * as types from "../types/robots-parser.js";
import { lowerCase } from "./agents.js";
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
/** The longest URL that is compared with this expression: for one of millions of characters, it has no stack. */
const MAX_PLAIN = 1 << 16;
/** What the engine removes around keys and values. */
const KEY = /^[ \t\v\f]*([\w-]+)[ \t\v\f]*$/;
/** The product token of a user-agent line, as the engine reads it. A `*` before another character is not a token. */
const LINE_TOKEN = /^[ \t\v\f]*(\*(?![^ \t\v\f])|[^ \t\v\f/*,]*)/;

class Robots implements types.Robots {
  readonly #file: File;
  /** The origin, or null if the URL of the file is not valid. */
  readonly #origin: string | null;
  readonly #isWeb: boolean;
  readonly #content: Uint8Array;
  #others: OtherRecords | null = null;

  constructor(url: string, contents: types.Content | null | undefined) {
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
    const token = lowerCase(productToken(ua));
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
    if (this.#isWeb && isShort(url) && url.startsWith(origin) && PLAIN_REST.test(url.slice(origin.length))) {
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
  /** By token. That of a token which has groups but no delay is undefined. */
  readonly delays: ReadonlyMap<string, number | undefined>;
  readonly sitemaps: readonly string[];
  readonly host: string | null;
}

/**
 * Read the records that RFC 9309 does not define.
 *
 * A delay belongs to the groups whose rules apply, with one exception, as in robots-parser: it ends the list of
 * user-agent lines above it, as a rule does.
 */
function readOtherRecords(text: string): OtherRecords {
  const groups: { tokens: string[]; delay: number | undefined }[] = [];
  const sitemaps: string[] = [];
  let host = null;
  let isEnded = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = line.split("#", 1)[0] as string;
    const colon = record.indexOf(":");
    const key = colon < 0 ? undefined : KEY.exec(record.slice(0, colon))?.[1]?.toLowerCase();
    const value = record.slice(colon + 1).trim();
    if (key === "user-agent") {
      if (isEnded) groups.push({ tokens: [], delay: undefined });
      isEnded = false;
      groups.at(-1)?.tokens.push(lowerCase(LINE_TOKEN.exec(record.slice(colon + 1))?.[1] as string));
    } else if (key === "allow" || key === "disallow" || key === "crawl-delay") {
      isEnded = true;
      const group = groups.at(-1);
      if (key === "crawl-delay" && group !== undefined && !Number.isNaN(Number(value))) group.delay = Number(value);
    } else if (key === "sitemap" && value !== "") sitemaps.push(value);
    else if (key === "host" && value !== "") host = value.toLowerCase();
  }
  const delays = new Map<string, number | undefined>();
  for (const { tokens, delay } of groups) {
    for (const token of tokens) delays.set(token, delay ?? delays.get(token));
  }
  return { delays, sitemaps, host };
}

/** See `types/robots-parser.d.ts`. */
export function robotsParser(url: string, contents?: types.Content | null): types.Robots {
  return new Robots(url, contents);
}

function isShort(url: unknown): url is string {
  return typeof url === "string" && url.length < MAX_PLAIN;
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
  if (ua === undefined || ua === null || ua === "") return "*";
  if (typeof ua !== "string") throw typeError("invalid-agent", `invalid user agent ${shown(ua)}: expected a string`);
  // Of a name without a token, such as `/1.0`, the groups for `*` apply.
  return /^[^\0- /*,\x7f]+/.exec(ua.trim())?.[0] ?? "*";
}
