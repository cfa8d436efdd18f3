/** The verdicts of two versions of a file, and what changes between them. */

import type { Comparison as ServerComparison } from "../../api-types.js";
import type { App } from "../../app.js";
import { toContent } from "../../bytes.js";
import { type Registry, STAR } from "../../crawlers.js";
import { startEngine } from "../../engine-source.js";
import { type AgentChain, type Engine, EngineError, MARKS, type Verdicts } from "../../engine/engine.js";
import { originOf, originOfFile } from "../../engine/origin.js";
import type { Answers } from "../../server.js";

export type Outcome = "blocked" | "allowed";
/** What a change is called: that of a control token is one of a use, because it fetches nothing. */
export type ChangeName = Outcome | "reserved" | "permitted";

export interface Change {
  readonly url: number;
  readonly crawler: number;
  /** What the verdict is after the change. */
  readonly outcome: Outcome;
  /** The deciding lines, 0 without one. */
  readonly oldLine: number;
  readonly newLine: number;
}

export interface Comparison {
  readonly urls: readonly string[];
  readonly crawlers: readonly string[];
  /** The cells with a verdict in both versions. */
  readonly compared: number;
  readonly changes: readonly Change[];
}

export interface Versions {
  readonly before: string | Uint8Array;
  readonly after: string | Uint8Array;
  readonly address: string;
  readonly urls: readonly string[];
  readonly crawlers: readonly string[];
  readonly profile: string;
}

/**
 * Compares with an engine of its own, whose worker does not delay the one of the editor. Without an engine, and for
 * readings that only the library has, the server decides.
 */
export class Comparer {
  readonly #app: App;
  #engine: Engine | null = null;
  /** The comparison that runs. The engine holds one file, so comparisons must not overlap. */
  #running: Promise<unknown> = Promise.resolve();
  #lastNumber = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** Return what changes, or null if a newer comparison was started meanwhile. */
  compare(versions: Versions): Promise<Comparison | null> {
    const number = ++this.#lastNumber;
    const result = this.#running.then(() => (number === this.#lastNumber ? this.#compare(versions) : null));
    this.#running = result.catch(() => null);
    return result;
  }

  async #compare(versions: Versions): Promise<Comparison | null> {
    try {
      return await this.#compareHere(versions);
    } catch (error) {
      const { answers } = this.#app;
      if (!answers) throw error;
      return await compareThere(answers, versions);
    }
  }

  async #compareHere({ before, after, address, urls, crawlers, profile }: Versions): Promise<Comparison | null> {
    const engine = (this.#engine ??= startEngine());
    try {
      const agents = crawlers.map((crawler) => this.#app.verdicts.chain(crawler));
      const url = originOfFile(address) ? address : null;
      const old = await this.#verdicts(engine, before, url, { urls, agents, profile });
      const updated = old && (await this.#verdicts(engine, after, url, { urls, agents, profile }));
      return old && updated && { urls, crawlers, ...changesOf(old, updated) };
    } catch (error) {
      // The next comparison starts another engine, unless this one only lacks a reading.
      if (!(error instanceof EngineError && error.code === "unknown-profile")) this.#engine = null;
      throw error;
    }
  }

  async #verdicts(
    engine: Engine,
    file: string | Uint8Array,
    url: string | null,
    { urls, agents, profile }: { urls: readonly string[]; agents: readonly AgentChain[]; profile: string },
  ): Promise<Verdicts | null> {
    await engine.open(file, { url });
    return engine.matrix({ profile, targets: urls, agents, compareWith: [] });
  }
}

function changesOf(old: Verdicts, updated: Verdicts): { compared: number; changes: Change[] } {
  const changes: Change[] = [];
  let compared = 0;
  for (let cell = 0; cell < old.marks.length; cell++) {
    const [oldMark, newMark] = [old.marks[cell], updated.marks[cell]];
    if (oldMark === MARKS.unanswered || newMark === MARKS.unanswered) continue;
    compared += 1;
    if ((oldMark === MARKS.blocked) === (newMark === MARKS.blocked)) continue;
    changes.push({
      url: Math.floor(cell / old.columns),
      crawler: cell % old.columns,
      outcome: newMark === MARKS.blocked ? "blocked" : "allowed",
      oldLine: old.lines[cell] ?? 0,
      newLine: updated.lines[cell] ?? 0,
    });
  }
  return { compared, changes };
}

export function changeName(outcome: Outcome, crawler: string, registry: Registry): ChangeName {
  if (!registry.isControlToken(crawler)) return outcome;
  return outcome === "blocked" ? "reserved" : "permitted";
}

/**
 * Return the crawlers, and then the control tokens: the chosen ones, and those that a user-agent line of a version names.
 * `*` stands for all other crawlers, unless one of the chosen ones reads its rules in both versions.
 */
export function comparedCrawlers(crawlers: readonly string[], registry: Registry, versions: readonly string[]): string[] {
  const isNamed = (token: string): boolean => {
    const name = token.replace(/[^\w-]/g, "\\$&");
    return versions.some((text) => new RegExp(`^[ \\t]*user-?agent[ \\t]*:?[ \\t]*${name}(?![\\w-])`, "im").test(text));
  };
  const fetching = crawlers.filter((crawler) => !registry.isControlToken(crawler));
  const tokens = crawlers.filter((crawler) => registry.isControlToken(crawler));
  const readsStar = (crawler: string): boolean => {
    const { tokens, star_applies: applies } = registry.find(crawler) ?? { tokens: [crawler], star_applies: true };
    return crawler === STAR || (applies && !tokens.some(isNamed));
  };
  const others = isNamed(STAR) && !fetching.some(readsStar) ? [STAR] : [];
  return [...fetching, ...others, ...new Set([...tokens, ...registry.controlTokens.filter(isNamed)])];
}

/** Return the keys of both versions in a request. */
export function comparedContents(before: string | Uint8Array, after: string | Uint8Array): object {
  const [old, updated] = [toContent(before), toContent(after)];
  return {
    old: old.content,
    old_encoding: old.content_encoding,
    new: updated.content,
    new_encoding: updated.content_encoding,
  };
}

async function compareThere(answers: Answers, versions: Versions): Promise<Comparison> {
  const { before, after, address, urls, crawlers, profile } = versions;
  const origin = originOfFile(address)?.origin ?? null;
  const governed = urls.filter((url) => origin === null || !url.includes("://") || originOf(url) === origin);
  const { compared, changed } = await answers.post<ServerComparison>("compare", {
    ...comparedContents(before, after),
    urls: governed,
    agents: crawlers,
    profile,
  });
  const changes = changed.map(({ url, agent_name: crawler, old, new: updated }): Change => ({
    url: urls.indexOf(url),
    crawler: crawlers.indexOf(crawler),
    outcome: updated.allowed ? "allowed" : "blocked",
    oldLine: old.rule?.line ?? 0,
    newLine: updated.rule?.line ?? 0,
  }));
  // A URL with unprintable characters is shown in another form, and cannot be found again.
  return { urls, crawlers, compared, changes: changes.filter(({ url, crawler }) => url >= 0 && crawler >= 0) };
}
