/** The engine of the server, for a page whose build has no module. It has the interface of the engine in the worker. */

import type {
  Explanation as ServerExplanation,
  Matrix as ServerMatrix,
  ParsedFile,
  RuleObject,
  VerdictList,
} from "../api-types.js";
import { type EncodedContent, toContent } from "../bytes.js";
import { type Server, ServerError } from "../server.js";
import { originOf, originOfFile } from "./origin.js";
import {
  type AgentChain,
  EngineError,
  type Explanation,
  type FileInfo,
  LINE_KINDS,
  MARKS,
  type MatchingRule,
  type Matrix,
  type MatrixQuestion,
  type Reading,
  type Readers,
  type RowProblem,
  type VerdictEngine,
  type Verdicts,
} from "./types.js";

const GROUPED: ReadonlySet<string> = new Set(["user-agent", "allow", "disallow"]);
const INVALID_TOKEN = /^$|[\0- /\x7f]/;
/** The server refuses further questions of one client while 16 of them wait. */
const MAX_QUESTIONS = 8;

export class ServerEngine implements VerdictEngine {
  onFailure: ((error: EngineError) => void) | null = null;
  readonly loaded = Promise.resolve();
  readonly profiles: readonly string[];
  readonly #server: Server;
  readonly #places = new Places(MAX_QUESTIONS);
  #file: EncodedContent & { readonly robots_url: string | null };
  #newest = new AbortController();

  constructor(server: Server, profiles: readonly string[]) {
    this.profiles = profiles;
    this.#server = server;
    this.#file = { content: "", content_encoding: "utf-8", robots_url: null };
  }

  open(content: string | Uint8Array, { url = null }: { readonly url?: string | null } = {}): Promise<void> {
    if (url !== null && originOfFile(url) === null) return Promise.reject(new EngineError("invalid-robots-url", url));
    this.#newest.abort();
    this.#file = { ...toContent(content), robots_url: url };
    return Promise.resolve();
  }

  async matrix(question: MatrixQuestion): Promise<Matrix | null> {
    this.#newest.abort();
    const { signal } = (this.#newest = new AbortController());
    const answer = await this.#verdicts(question, signal);
    if (answer === null) return null;
    return { ...answer, differs: this.#differences(question, answer, signal) };
  }

  /** Return 1 for each cell with another verdict in a profile of `compareWith`, with one request for each of them. */
  async #differences(question: MatrixQuestion, { marks }: Verdicts, signal: AbortSignal): Promise<Uint8Array | null> {
    const differs = new Uint8Array(marks.length);
    for (const profile of question.compareWith) {
      const other = await this.#verdicts({ ...question, profile }, signal);
      if (other === null) return null;
      for (const [at, mark] of other.marks.entries()) {
        if ((mark === MARKS.blocked) !== (marks[at] === MARKS.blocked)) differs[at] = 1;
      }
    }
    return differs;
  }

  async #verdicts({ profile, targets, agents }: MatrixQuestion, signal: AbortSignal): Promise<Verdicts | null> {
    const [rows, columns] = [targets.length, agents.length];
    const marks = new Uint8Array(rows * columns).fill(MARKS.unanswered);
    const lines = new Uint32Array(rows * columns);
    const rowProblems: (RowProblem | null)[] = targets.map(() => null);
    const columnProblems = agents.map(({ tokens }) => (isValid(tokens) ? null : "invalid-token"));
    const names = agents.map(({ tokens }) => tokens[0] ?? "");
    const asked = names.filter((_, column) => columnProblems[column] === null);
    const answer = { rows, columns, marks, lines, rowProblems, columnProblems } as const;
    if (rows === 0 || asked.length === 0) return answer;
    const urls = targets.map(text);
    const body = { ...this.#file, profile, urls, agents: asked };
    const found = await this.#ask<ServerMatrix>("matrix", body, signal);
    for (const [row, urlRow] of found?.rows.entries() ?? []) {
      const verdicts = "verdicts" in urlRow ? urlRow.verdicts : undefined;
      if (verdicts === undefined) rowProblems[row] = this.#problemOf(urls[row] ?? "");
      for (const [column, name] of names.entries()) {
        const cell = verdicts?.[name];
        if (cell === undefined) continue;
        const hasRule = cell.line !== null;
        marks[row * columns + column] = hasRule ? (cell.allowed ? MARKS.allowed : MARKS.blocked) : MARKS.none;
        lines[row * columns + column] = cell.line ?? 0;
      }
    }
    return found === null ? null : answer;
  }

  async explain(target: string | Uint8Array, agent: AgentChain, profile: string): Promise<Explanation> {
    const { verdict } = await this.#explain(target, agent, profile);
    const rule = (object: RuleObject): MatchingRule => ({
      ...object,
      allow: object.type === "allow",
      path: [{ text: verdict.target, matched: false }],
    });
    return {
      allowed: verdict.allowed,
      reason: verdict.reason,
      rule: verdict.rule && rule(verdict.rule),
      alsoMatched: verdict.also_matched.map(rule),
      group: { ...verdict.group, ignoredStarLines: [] },
      target: verdict.target,
    };
  }

  async readings(target: string | Uint8Array, agent: AgentChain): Promise<Reading[]> {
    const { profiles } = await this.#explain(target, agent, this.profiles[0] ?? "rfc9309");
    return profiles
      .filter(({ profile }) => this.profiles.includes(profile))
      .map(({ profile, allowed, reason, rule }) => ({ profile, allowed, reason, line: rule?.line ?? null }));
  }

  async info(profile: string): Promise<FileInfo> {
    const { content, content_encoding } = this.#file;
    const file = await this.#post<ParsedFile>("parse", { content, content_encoding, profile });
    const lastRecord = file.records.at(-1)?.line ?? 0;
    const lineKinds = new Uint8Array(lastRecord);
    const lineGroups = new Uint32Array(lastRecord);
    for (const [index, group] of file.groups.entries()) {
      for (const { line } of [...group.user_agents, ...group.rules]) lineGroups[line - 1] = index + 1;
    }
    for (const { line, kind } of file.records) {
      // A rule outside of all groups has no effect.
      const isInGroup = (lineGroups[line - 1] ?? 0) > 0;
      if (isInGroup || !GROUPED.has(kind)) lineKinds[line - 1] = LINE_KINDS.indexOf(kind);
    }
    const unreadBytes = file.bytes - file.bytes_read;
    // The lines of a file in base64 are known up to its last record.
    const linesRead = content_encoding === "utf-8" ? countLines(content, file.bytes_read) : lastRecord;
    return {
      bytes: file.bytes_read,
      unreadBytes,
      encoding: file.source_encoding,
      lineCount: linesRead,
      firstUnreadLine: unreadBytes > 0 ? linesRead + 1 : null,
      groups: file.groups.map(({ user_agents, rules }) => ({ userAgents: user_agents, ruleCount: rules.length })),
      lineKinds,
      lineGroups,
    };
  }

  async readers(line: number, agents: readonly AgentChain[], profile: string): Promise<Readers> {
    const { groups, lineKinds, lineGroups } = await this.info(profile);
    const kind = LINE_KINDS[lineKinds[line - 1] ?? 0] ?? "nothing";
    const group = (lineGroups[line - 1] ?? 0) - 1;
    const own = groups[group]?.userAgents.map((userAgent) => userAgent.line) ?? [];
    const valid = agents.filter(({ tokens }) => isValid(tokens)).map(({ tokens }) => tokens[0]);
    if (valid.length === 0) return { kind, group: null, reads: agents.map(() => false) };
    const { verdicts, groups: selected } = await this.#post<VerdictList>("decide/batch", {
      ...this.#file,
      robots_url: null,
      profile,
      urls: ["/"],
      agents: valid,
    });
    const reading = new Set(
      verdicts
        .filter((verdict) => "group" in verdict)
        .filter(({ group }) => kind === "sitemap" || selected[group]?.lines.some((named) => own.includes(named)))
        .map((verdict) => verdict.agent_name),
    );
    return { kind, group: group < 0 ? null : group, reads: agents.map(({ tokens }) => reading.has(tokens[0] ?? "")) };
  }

  #explain(target: string | Uint8Array, { tokens }: AgentChain, profile: string): Promise<ServerExplanation> {
    if (!isValid(tokens)) return Promise.reject(new EngineError("invalid-token"));
    const url = text(target);
    return this.#post<ServerExplanation>("explain", { ...this.#file, profile, url, agent: tokens[0] }, url);
  }

  /** Return an answer. A problem of the caller is one of the target, if there is one. */
  async #post<T>(path: string, body: unknown, target?: string): Promise<T> {
    const answer = await this.#ask<T>(path, body, undefined, target);
    if (answer === null) throw new EngineError("stopped");
    return answer;
  }

  /** Return an answer, or null if the question was replaced by a newer one. */
  async #ask<T>(path: string, body: unknown, signal?: AbortSignal, target?: string): Promise<T | null> {
    await this.#places.take();
    try {
      return await this.#server.post<T>(path, body, signal);
    } catch (error) {
      if (signal?.aborted) return null;
      if (!(error instanceof ServerError)) throw error;
      if (error.problem.status === 422 && target !== undefined) throw new EngineError(this.#problemOf(target));
      throw new EngineError("stopped", error.message);
    } finally {
      this.#places.giveBack();
    }
  }

  /** Return why a URL without a verdict has none. */
  #problemOf(url: string): RowProblem {
    const file = this.#file.robots_url === null ? null : originOfFile(this.#file.robots_url);
    const isAbsolute = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]/i.test(url);
    const origin = isAbsolute && file ? originOf(url, file.scheme) : null;
    return origin !== null && origin !== file?.origin ? "other-origin" : "invalid-url";
  }
}

/** Places for questions at the same time. The others wait in their order. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(number: number) {
    this.#free = number;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Count the lines in the first bytes of a text. */
function countLines(content: string, bytes: number): number {
  const read = new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(content).subarray(0, bytes));
  return read === "" ? 0 : read.replace(/(?:\r\n?|\n)$/, "").split(/\r\n?|\n/).length;
}

function isValid(tokens: readonly string[]): boolean {
  return tokens.length > 0 && !tokens.some((token) => INVALID_TOKEN.test(token));
}

function text(target: string | Uint8Array): string {
  return typeof target === "string" ? target : new TextDecoder().decode(target);
}
