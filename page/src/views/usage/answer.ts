/** What the page shows of the answer of /v1/use. */

import type { CrawlerUsesObject, ExtensionObject, UsagePurpose, UseObject, UseStatementObject } from "../../api-types.js";
import type { Texts } from "../../texts.js";

/** In the order of the columns. */
export const PURPOSES: readonly UsagePurpose[] = ["search", "ai-use", "training"];

export function isReadable({ notes }: ExtensionObject): boolean {
  return !notes.includes("unreadable");
}

/** What the site states about one use. `unread`: the crawler may not fetch the page, so no preference applies. */
export type UsageState = "reserved" | "allowed" | "none" | "unread";

export function usageState(crawler: CrawlerUsesObject, purpose: UsagePurpose): UsageState {
  if (isUnread(crawler)) return "unread";
  const use = crawler.uses[purpose];
  return use.allowed === false ? "reserved" : use.allowed ? "allowed" : "none";
}

/** Whether no statement applies, because the crawler may not fetch the page. A control token fetches nothing anyway. */
export function isUnread({ allowed, control_token: isToken }: CrawlerUsesObject): boolean {
  return !allowed && !isToken;
}

/** The statements about a use. A rule for a control token is listed once. */
export function shownStatements({ statements }: UseObject): readonly UseStatementObject[] {
  const lines = new Set(statements.flatMap(({ kind, line }) => (kind === "control-token" ? [line] : [])));
  return statements.filter(({ kind, line }) => kind !== "rule" || !lines.has(line));
}

/** The statement that decides: the first of those that are most restrictive, or null. */
export function decidingStatement(use: UseObject): UseStatementObject | null {
  const { allowed } = use;
  if (allowed === null) return null;
  return shownStatements(use).find(({ preference }) => preference === (allowed ? "allow" : "disallow")) ?? null;
}

/** Where a statement is, in the language of the page if it is a line. */
export function placeText(texts: Texts, { line, source, place }: UseStatementObject): string {
  return line !== null ? texts.t("views_line", { line }) : place.startsWith(source) ? place : `${source}, ${place}`;
}

const PURPOSE_OF: Partial<Record<CrawlerUsesObject["purposes"][number], UsagePurpose>> = {
  "search-index": "search",
  answers: "ai-use",
  "user-triggered": "ai-use",
  training: "training",
};

/** Whether a crawler is documented to fetch pages for this use. */
export function isItsPurpose({ purposes }: CrawlerUsesObject, purpose: UsagePurpose): boolean {
  return purposes.some((one) => PURPOSE_OF[one] === purpose);
}

const PREFERENCE_RECORDS = ["content-signal", "content-usage"];

/** The preference records that an operator documents to read. */
export function honouredRecords({ honours }: CrawlerUsesObject): string[] {
  return honours.filter((name) => PREFERENCE_RECORDS.includes(name));
}

/** The usual spelling of a record's name. */
export function recordName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()).replace(/^Disallowaitraining$/, "DisallowAITraining");
}
