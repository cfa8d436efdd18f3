/** The questions to the engine, and its answers. All values can be sent between the page and the worker. */

import type { GroupChoice, ParsedFile, Reason } from "../api-types.js";

/** A crawler: its product tokens in the order in which they are tried, and whether the `*` groups apply to it. */
export interface AgentChain {
  readonly tokens: readonly string[];
  readonly starApplies: boolean;
}

/** The marks of a matrix. */
export const MARKS = {
  /** No rule matches, so the URL is allowed. */
  none: 0,
  /** A rule allows the URL. */
  allowed: 1,
  /** A rule blocks the URL. */
  blocked: 2,
  /** There is no verdict, because the row or the column has a problem. */
  unanswered: 3,
} as const;

export type RowProblem =
  /** Not an absolute URL, `//host/path` or a path that starts with `/`. */
  | "invalid-url"
  /** A URL of another origin: this file does not govern it. */
  | "other-origin";

export type ColumnProblem =
  /** A product token is empty, or contains white space, `/` or a control character. */
  "invalid-token";

export interface MatrixQuestion {
  /** The name of the profile. */
  readonly profile: string;
  /** One URL or path for each row. Pass the same array again if it has not changed: it is sent only once. */
  readonly targets: readonly (string | Uint8Array)[];
  /** One crawler for each column. Pass the same array again if it has not changed. */
  readonly agents: readonly AgentChain[];
  /** The names of the profiles whose verdicts are compared with those of `profile`. */
  readonly compareWith: readonly string[];
}

/** Verdicts row by row: the cell of a row and a column is at `row * columns + column`. */
export interface Verdicts {
  readonly rows: number;
  readonly columns: number;
  readonly marks: Uint8Array;
  /** The line of the deciding rule, or 0. */
  readonly lines: Uint32Array;
  readonly rowProblems: readonly (RowProblem | null)[];
  readonly columnProblems: readonly (ColumnProblem | null)[];
}

export interface Matrix extends Verdicts {
  /** 1 where another profile has the opposite verdict; null if that is unknown, as after a newer question. */
  readonly differs: Promise<Uint8Array | null>;
}

export interface PathPart {
  readonly text: string;
  /** Whether the rule matches this part. */
  readonly matched: boolean;
}

export interface MatchingRule {
  readonly allow: boolean;
  readonly pattern: string;
  readonly line: number;
  /** The rule's length, which decides between rules. */
  readonly specificity: number;
  /** The target, divided into the parts that the rule matches and the others. */
  readonly path: readonly PathPart[];
}

/** As the library's `Verdict`, with what the page shows in addition. */
export interface Explanation {
  readonly allowed: boolean;
  readonly reason: Reason;
  /** The deciding rule, or null. */
  readonly rule: MatchingRule | null;
  /** The other rules that match, in order of precedence. */
  readonly alsoMatched: readonly MatchingRule[];
  readonly group: {
    readonly choice: GroupChoice;
    /** The product token that selected the groups, `*`, or null. */
    readonly token: string | null;
    /** The user-agent lines with this token. */
    readonly lines: readonly number[];
    /** The user-agent lines for `*` whose rules do not count, because the crawler has its own groups. */
    readonly ignoredStarLines: readonly number[];
  };
  /** Path and query as they are compared. */
  readonly target: string;
}

/** The verdict of one profile. */
export interface Reading {
  readonly profile: string;
  readonly allowed: boolean;
  readonly reason: Reason;
  /** The line of the deciding rule, or null. */
  readonly line: number | null;
}

/** The size limit of every profile, from RFC 9309 section 2.5. */
export const DEFAULT_MAX_BYTES = 512_000;

export type Encoding = ParsedFile["source_encoding"];

/** The kinds of lines. `nothing` is a blank line, a comment, an invalid line, or a rule outside groups. */
export const LINE_KINDS = ["nothing", "user-agent", "allow", "disallow", "sitemap", "other"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** Whether a file has rules. */
export function hasRules(info: FileInfo | null): boolean {
  return info !== null && info.lineKinds.some((kind) => LINE_KINDS[kind] === "allow" || LINE_KINDS[kind] === "disallow");
}

export interface FileGroup {
  readonly userAgents: readonly { readonly line: number; readonly token: string }[];
  readonly ruleCount: number;
}

/** A file as one profile reads it. */
export interface FileInfo {
  /** The bytes that are read, in UTF-8. */
  readonly bytes: number;
  /** The bytes past the size limit. */
  readonly unreadBytes: number;
  readonly encoding: Encoding;
  readonly lineCount: number;
  /** The first line past the size limit, or null. */
  readonly firstUnreadLine: number | null;
  readonly groups: readonly FileGroup[];
  /** For each line, an index into `LINE_KINDS`. */
  readonly lineKinds: Uint8Array;
  /** For each line, an index into `groups` plus 1, or 0 if the line belongs to no group. */
  readonly lineGroups: Uint32Array;
}

/** Who reads a line. */
export interface Readers {
  readonly kind: LineKind;
  /** An index into `FileInfo.groups`, or null. */
  readonly group: number | null;
  /** For each agent, whether it reads the line. All agents read a sitemap. */
  readonly reads: readonly boolean[];
}

/** What gives verdicts: the engine in the worker, or that of the server. `engine.ts` describes the methods. */
export interface VerdictEngine {
  onFailure: ((error: EngineError) => void) | null;
  readonly profiles: readonly string[];
  readonly loaded: Promise<void>;
  open(content: string | Uint8Array, options?: { readonly url?: string | null }): Promise<void>;
  matrix(question: MatrixQuestion): Promise<Matrix | null>;
  explain(target: string | Uint8Array, agent: AgentChain, profile: string): Promise<Explanation>;
  readings(target: string | Uint8Array, agent: AgentChain): Promise<Reading[]>;
  info(profile: string): Promise<FileInfo>;
  readers(line: number, agents: readonly AgentChain[], profile: string): Promise<Readers>;
}

export type EngineErrorCode =
  | "unknown-document"
  | "unknown-profile"
  | "malformed-input"
  | "too-large"
  | "invalid-limit"
  | "invalid-url"
  | "invalid-token"
  | "other-origin"
  | "invalid-robots-url"
  /** The module or the worker could not be loaded. */
  | "not-loaded"
  /** The module has stopped, for example because it has no memory left. */
  | "stopped";

export class EngineError extends Error {
  constructor(
    readonly code: EngineErrorCode,
    detail = "",
  ) {
    super(detail === "" ? code : `${code}: ${detail}`);
    this.name = "EngineError";
  }
}
