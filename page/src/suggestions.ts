/** Rows and columns for a file of one's own: a URL for each rule, and the crawlers that the file names. */

import { isProductToken, MAIN_CRAWLERS, type Registry, STAR } from "./crawlers.js";
import { type AgentChain, type FileInfo, LINE_KINDS, type VerdictEngine } from "./engine/engine.js";
import type { Cell, State } from "./state.js";

const MAX_ROWS = 200;
const MAX_CRAWLERS = 40;
/** More agents are not asked which URL no rule matches. */
const MAX_AGENTS = 50;
/** Texts that a wildcard, and the part after a pattern, can match. */
const FILLERS = [
  ["example", ""],
  ["example", "page"],
  ["", ""],
  ["", "page"],
  ["example/page", "/page"],
] as const;
const UNMATCHED = ["/", "/page", "/example-page"] as const;

export interface Suggestions {
  readonly urls: readonly string[];
  readonly crawlers: readonly string[];
  readonly selected: Cell | null;
}

type Asked = Pick<State, "file" | "urls" | "crawlers" | "profile" | "ownUrls" | "ownCrawlers">;

interface FileRule {
  /** The lines that have the rule. */
  readonly lines: number[];
  readonly pattern: string;
  readonly crawler: string;
}

/** Return rows and columns for the file that is open in the engine. Those of the user stay. */
export async function suggestions(
  engine: VerdictEngine,
  registry: Registry,
  chain: (crawler: string) => AgentChain,
  asked: Asked,
): Promise<Suggestions> {
  const { file, profile, ownUrls, ownCrawlers } = asked;
  const info = await engine.info(profile);
  const crawlers = ownCrawlers ? asked.crawlers : suggestedCrawlers(info, registry, chain);
  const urls = new Set(asked.urls);
  let selected: Cell | null = null;
  if (!ownUrls) {
    const starFollowers = followersOfStar(crawlers, info, chain);
    const isShown = (token: string): boolean => registry.isListed(token) || crawlers.includes(token);
    const rules = rulesOf(file, info, isShown);
    for (const { url, rule } of await decidedUrls(engine, chain, profile, rules)) {
      urls.add(url);
      const crawler = columnOf(rule.crawler, crawlers, registry, starFollowers);
      if (crawler >= 0) selected ??= { url: [...urls].indexOf(url), crawler };
    }
    const unmatched = await unmatchedUrl(engine, chain, profile, info);
    if (unmatched !== null) urls.add(unmatched);
  }
  const isFirstCell = urls.size > 0 && crawlers.length > 0;
  return { urls: [...urls], crawlers, selected: selected ?? (isFirstCell ? { url: 0, crawler: 0 } : null) };
}

/**
 * Return the known crawlers that the file names and the main ones; also `*`, if its rules apply to none of them. Other
 * names, such as Mozilla, are columns only if the file has nothing else.
 */
function suggestedCrawlers(info: FileInfo, registry: Registry, chain: (crawler: string) => AgentChain): string[] {
  const tokens = info.groups.flatMap(({ userAgents }) => userAgents.map(({ token }) => token));
  const listed = tokens.filter((token) => registry.isListed(token));
  const named = (listed.length > 0 ? listed : tokens).filter((token) => token !== STAR && isProductToken(token));
  const names = named.map((token) => registry.find(token)?.name ?? token);
  const found = registry.sorted([...unique(names).slice(0, MAX_CRAWLERS), ...MAIN_CRAWLERS].filter(isFirstSpelling));
  return tokens.includes(STAR) && followersOfStar(found, info, chain).length === 0 ? [...found, STAR] : found;
}

/** Return the crawlers that the file does not name, and that the rules for `*` apply to. */
function followersOfStar(crawlers: readonly string[], { groups }: FileInfo, chain: (crawler: string) => AgentChain): string[] {
  const named = new Set(groups.flatMap(({ userAgents }) => userAgents.map(({ token }) => token.toLowerCase())));
  return crawlers.filter((crawler) => {
    const { tokens, starApplies } = chain(crawler);
    return starApplies && !tokens.some((token) => named.has(token.toLowerCase()));
  });
}

/** Return the column of a crawler that reads a rule, or -1. */
function columnOf(token: string, crawlers: readonly string[], registry: Registry, starFollowers: readonly string[]): number {
  const name = token === STAR ? (starFollowers[0] ?? STAR) : (registry.find(token)?.name ?? token);
  return crawlers.indexOf(name);
}

function isFirstSpelling(token: string, at: number, all: readonly string[]): boolean {
  return all.findIndex((other) => other.toLowerCase() === token.toLowerCase()) === at;
}

/** Return the rules of groups with a crawler that is shown. The engine knows which lines are rules, and of which group. */
function rulesOf(file: string, { lineKinds, lineGroups, groups }: FileInfo, isShown: (token: string) => boolean): FileRule[] {
  const rules = new Map<string, FileRule>();
  for (const [index, text] of file.split("\n").entries()) {
    const kind = LINE_KINDS[lineKinds[index] ?? 0];
    const crawler = groups[(lineGroups[index] ?? 0) - 1]?.userAgents.find(({ token }) => isShown(token))?.token;
    if ((kind !== "allow" && kind !== "disallow") || crawler === undefined) continue;
    const value = (/^[^:]*:(.*)$/.exec(text) ?? /^\s*\S+\s+(.*)$/.exec(text))?.[1] ?? "";
    const pattern = (value.split("#")[0] ?? "").trim();
    if (pattern === "") continue;
    const key = `${kind} ${crawler} ${pattern}`;
    const known = rules.get(key);
    if (known) known.lines.push(index + 1);
    else if (rules.size < MAX_ROWS) rules.set(key, { lines: [index + 1], pattern, crawler });
  }
  return [...rules.values()];
}

/** Return a URL for each rule that decides one, in the order of the file. */
async function decidedUrls(
  engine: VerdictEngine,
  chain: (crawler: string) => AgentChain,
  profile: string,
  rules: readonly FileRule[],
): Promise<{ url: string; rule: FileRule }[]> {
  const found = new Map<FileRule, string>();
  for (const filler of FILLERS) {
    const open = rules.filter((rule) => !found.has(rule));
    const urls = open.map(({ pattern }) => matchingUrl(pattern, filler));
    const crawlers = unique(open.map(({ crawler }) => crawler));
    const verdicts = await engine.matrix({ profile, targets: urls, agents: crawlers.map(chain), compareWith: [] });
    open.forEach((rule, row) => {
      const line = verdicts?.lines[row * crawlers.length + crawlers.indexOf(rule.crawler)] ?? 0;
      if (rule.lines.includes(line)) found.set(rule, urls[row] ?? "");
    });
  }
  return rules.flatMap((rule) => {
    const url = found.get(rule);
    return url === undefined ? [] : [{ url, rule }];
  });
}

/** Return a URL that no rule matches: for every crawler of the file, or else for one that it does not name. */
async function unmatchedUrl(
  engine: VerdictEngine,
  chain: (crawler: string) => AgentChain,
  profile: string,
  { groups }: FileInfo,
): Promise<string | null> {
  const tokens = groups.map(({ userAgents }) => userAgents[0]?.token ?? STAR);
  for (const crawlers of [unique([STAR, ...tokens]).slice(0, MAX_AGENTS), [STAR]]) {
    const verdicts = await engine.matrix({ profile, targets: UNMATCHED, agents: crawlers.map(chain), compareWith: [] });
    const row = UNMATCHED.findIndex((_, index) =>
      verdicts?.lines.subarray(index * crawlers.length, (index + 1) * crawlers.length).every((line) => line === 0),
    );
    if (row >= 0) return UNMATCHED[row] ?? null;
  }
  return null;
}

/** Return a URL that a pattern matches. Bytes that are not valid UTF-8 are percent-encoded. */
function matchingUrl(pattern: string, [wildcard, rest]: readonly [string, string]): string {
  const isComplete = pattern.endsWith("$");
  const path = pattern.replace(/\$$/, "").replace(/\*+$/, "").replace(/\*+/g, wildcard);
  const encoded = path.replace(/[\udc80-\udcff]/gu, (byte) => `%${(byte.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`);
  const start = encoded.startsWith("/") ? encoded : `/${encoded}`;
  return isComplete ? start : start + rest;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
