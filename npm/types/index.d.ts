/// <reference lib="esnext.disposable" />

/** A robots.txt: its bytes, which may be UTF-16, or its text. */
export type Content = string | ArrayBufferView | ArrayBufferLike;

/** An absolute URL, `//host/path` or a path: a string, read as `new URL` reads it, a `URL`, or bytes. Its fragment is ignored. */
export type AnyURL = string | { readonly href: string } | Uint8Array;

/** A crawler: its product tokens in the order in which they are tried. */
export interface Agent {
  readonly tokens: string | readonly string[];
  /** Whether the `*` groups apply if no token has a group. By default, they do unless the crawler ignores them. */
  readonly starApplies?: boolean | undefined;
}

/** How a file is read. */
export type Profile =
  | "rfc9309"
  | "strict"
  | "google2019"
  | "google"
  | "googlebot"
  | "bing"
  | "yandex"
  | "draft1996"
  | "original1994";

export interface ParseOptions {
  /** The parsing profile. The default is `rfc9309`. */
  readonly profile?: Profile | undefined;
  /** The size limit, from 512,000 (the default) to 67,108,848. Bytes past the limit are ignored. */
  readonly maxBytes?: number | undefined;
  /** The URL of the file, such as `https://example.com/robots.txt`. URLs of other origins are then a TypeError. */
  readonly url?: AnyURL | null | undefined;
}

/** What decided. */
export type Reason = "allow-rule" | "disallow-rule" | "empty-rule" | "no-match" | "no-group" | "robots-txt";

/** How the groups of an agent were selected. */
export type GroupChoice = "own-token" | "fallback" | "star" | "none";

export interface Rule {
  readonly type: "allow" | "disallow";
  /** The value as written. Bytes that are not valid UTF-8 are percent-encoded. */
  readonly pattern: string;
  /** The line number, from 1. */
  readonly line: number;
  /** The length of the pattern in bytes. The most specific rule that matches decides. */
  readonly specificity: number;
}

export interface GroupSelection {
  readonly choice: GroupChoice;
  /** The product token that selected the groups, `*`, or null if no group applies. */
  readonly token: string | null;
  /** The user-agent lines with this token. */
  readonly lines: readonly number[];
}

/** Whether an agent may fetch a URL, and why. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: Reason;
  /** The deciding rule, or null. */
  readonly rule: Rule | null;
  /** The line of the deciding rule, or null. */
  readonly line: number | null;
  /** The other rules that match, most specific first. */
  readonly alsoMatched: readonly Rule[];
  readonly group: GroupSelection;
  readonly agent: { readonly tokens: readonly string[]; readonly starApplies: boolean };
  /** The normalised path and query that patterns were compared with. */
  readonly target: string;
  readonly profile: string;
  /** The reason in one sentence. */
  readonly explanation: string;
  /** The verdict and its explanation in one line. */
  toString(): string;
}

/** The rules of a file that apply to one agent. */
export interface AgentRules {
  readonly agent: { readonly tokens: readonly string[]; readonly starApplies: boolean };
  /** Whether the agent may fetch a URL. */
  readonly allows: (url: AnyURL) => boolean;
  /** Decide, and return the rule that decides. */
  readonly decide: (url: AnyURL) => Verdict;
  /** See `RobotsTxt.crawlDelay`. */
  readonly crawlDelay: number | null;
}

/** A parsed robots.txt. `parse` returns it. */
export interface RobotsTxt extends Disposable {
  readonly profile: string;
  /** Whether `agent`, a product token such as `ExampleBot`, may fetch `url`. */
  allows(url: AnyURL, agent: string | Agent): boolean;
  /** Decide whether `agent` may fetch `url`, and return the rule that decides. */
  decide(url: AnyURL, agent: string | Agent): Verdict;
  /** Return the rules that apply to `agent`. Use this to check many URLs for one agent. */
  rulesFor(agent: string | Agent): AgentRules;
  /** The values of all sitemap records as written. */
  readonly sitemaps: readonly string[];
  /** Return the longest valid Crawl-delay of the groups of `agent` in seconds, or null. */
  crawlDelay(agent: string | Agent): number | null;
  /** Free the memory of the file at once. This is optional: it is also freed when the object is collected. */
  dispose(): void;
}

/** What is wrong with a call: the `code` of its TypeError. */
export type ArgumentErrorCode =
  | "disposed"
  | "invalid-agent"
  | "invalid-content"
  | "invalid-limit"
  | "invalid-module"
  | "invalid-option"
  | "invalid-product-token"
  | "invalid-robots-url"
  | "invalid-url"
  | "origin-mismatch"
  | "unknown-profile";

/** Parse a robots.txt. Content never causes an error. */
export function parse(content: Content, options?: ParseOptions): RobotsTxt;

/** Decide once whether `agent` may fetch `url`. */
export function allows(content: Content, url: AnyURL, agent: string | Agent, options?: ParseOptions): boolean;

/** Return the product token of the crawler that a User-Agent header identifies, such as `Googlebot`. */
export function productToken(userAgent: string): string;

/**
 * Load the engine without blocking. This is only required where WebAssembly cannot be compiled synchronously: everything
 * else loads the engine when it is first needed.
 *
 * @param module The compiled engine, for runtimes that compile modules before they run, such as Cloudflare Workers.
 */
export function load(module?: object): Promise<void>;

/** Return the WebAssembly module, to write it into a file for runtimes that compile modules before they run. */
export function engineBytes(): Uint8Array & { readonly buffer: ArrayBuffer };

/** The version of the package. */
export const version: string;
