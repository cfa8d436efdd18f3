/** What the page shows of the answer of /v1/usage. */

import type { CrawlerUsage, ExtensionObject, StatementObject, UsageObject, UsagePurpose } from "../../api-types.js";

/** In the order of the columns. */
export const PURPOSES: readonly UsagePurpose[] = ["search", "ai-use", "training"];

export function isReadable({ notes }: ExtensionObject): boolean {
  return !notes.includes("unreadable");
}

/** What the site states about one use. `unread`: the crawler may not fetch the page, so no preference applies. */
export type UsageState = "reserved" | "allowed" | "none" | "unread";

export function usageState({ allowed, usage }: CrawlerUsage, purpose: UsagePurpose): UsageState {
  if (!allowed) return "unread";
  const { preference } = usage[purpose];
  return preference === "disallow" ? "reserved" : preference === "allow" ? "allowed" : "none";
}

/** The statement that decides: the first with the preference that counts, or null. */
export function decidingStatement({ preference, statements }: UsageObject): StatementObject | null {
  if (preference === "unknown") return null;
  return statements.find((statement) => statement.preference === preference) ?? null;
}

const PURPOSE_OF: Partial<Record<CrawlerUsage["purposes"][number], UsagePurpose>> = {
  "search-index": "search",
  answers: "ai-use",
  "user-triggered": "ai-use",
  training: "training",
};

/** Whether a crawler is documented to fetch pages for this use. */
export function isItsPurpose({ purposes }: CrawlerUsage, purpose: UsagePurpose): boolean {
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
