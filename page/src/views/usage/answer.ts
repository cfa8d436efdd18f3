/** The answer of /v1/usage. */

export const PURPOSES = ["search", "ai-use", "training"] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface UsageRecord {
  /** Such as `content-signal`. */
  readonly name: string;
  readonly value: string;
  readonly line: number;
  readonly scope: "file" | "group" | "none";
  readonly notes: readonly string[];
}

export interface Statement {
  readonly record: UsageRecord;
  readonly label: string;
  readonly preference: Preference;
}

export type Preference = "allow" | "disallow" | "unknown";

export interface Usage {
  readonly preference: Preference;
  readonly statements: readonly Statement[];
  readonly licenses: readonly UsageRecord[];
}

export interface CrawlerUsage {
  readonly agent_name: string;
  /** Null if the crawler is not in the registry. */
  readonly operator: string | null;
  readonly purposes: readonly string[];
  /** The records beyond RFC 9309 that the operator documents to read. */
  readonly honours: readonly string[];
  readonly allowed: boolean;
  readonly line: number | null;
  readonly usage: Readonly<Record<Purpose, Usage>>;
}

export interface Reservation {
  readonly reserved: boolean | null;
  readonly policy: string | null;
  readonly location: string | null;
  readonly position: { readonly source: string; readonly number: number };
}

export interface UsageAnswer {
  readonly url: string;
  readonly crawlers: readonly CrawlerUsage[];
  readonly records: readonly UsageRecord[];
  readonly tdm_reservation: Reservation | null;
  readonly tdm_file_problem: string | null;
}

export function isReadable({ notes }: UsageRecord): boolean {
  return !notes.includes("unreadable");
}

/** What the site states about one use. `unread`: the crawler may not fetch the page, so no preference applies. */
export type UsageState = "reserved" | "allowed" | "none" | "unread";

export function usageState({ allowed, usage }: CrawlerUsage, purpose: Purpose): UsageState {
  if (!allowed) return "unread";
  const { preference } = usage[purpose];
  return preference === "disallow" ? "reserved" : preference === "allow" ? "allowed" : "none";
}

/** The statement that decides: the first with the preference that counts, or null. */
export function decidingStatement({ preference, statements }: Usage): Statement | null {
  if (preference === "unknown") return null;
  return statements.find((statement) => statement.preference === preference) ?? null;
}

const PURPOSE_OF: Readonly<Record<string, Purpose>> = {
  "search-index": "search",
  answers: "ai-use",
  "user-triggered": "ai-use",
  training: "training",
};

/** Whether a crawler is documented to fetch pages for this use. */
export function isItsPurpose({ purposes }: CrawlerUsage, purpose: Purpose): boolean {
  return purposes.some((one) => PURPOSE_OF[one] === purpose);
}

const PREFERENCE_RECORDS = ["content-signal", "content-usage"];

/** The preference records that an operator documents to read. */
export function honouredRecords({ honours }: CrawlerUsage): string[] {
  return honours.filter((name) => PREFERENCE_RECORDS.includes(name));
}

/** The usual spelling of a record's name. */
export function recordName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()).replace(/^Disallowaitraining$/, "DisallowAITraining");
}
