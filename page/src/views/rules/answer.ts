/** What the page shows of the answers of /v1/page and /v1/page/fetch. */

import type { DirectiveObject, PageRow } from "../../api-types.js";

/** The uses of a page that rules can restrict, in the order of the rows. */
export const USES = [
  "may_index",
  "may_list",
  "may_index_embedded",
  "may_index_images",
  "may_follow",
  "may_snippet",
  "may_preview_images",
  "may_preview_video",
  "may_archive",
  "may_translate",
  "may_answer",
  "may_train",
  "may_train_images",
  "available",
] as const;
export type Use = (typeof USES)[number];

/** How a use is shown. `unread`: the crawler may not fetch the page, so it never reads its rules. */
export type UseState = "blocked" | "limited" | "allowed" | "none" | "unread";

export function useState(row: PageRow, use: Use | "fetch"): UseState {
  if (use === "fetch") {
    if (!row.fetch_allowed) return "blocked";
    return row.robots?.rule ? "allowed" : "none";
  }
  const { allowed, reason, limit } = row[use];
  if (reason === "robots-txt") return allowed ? "none" : "unread";
  if (!allowed) return "blocked";
  if (limit !== null) return "limited";
  return reason === "permissive-directive" ? "allowed" : "none";
}

/** A directive as it is written, without the crawler. */
export function directiveText({ name, value }: DirectiveObject): string {
  return value === null ? name : `${name}: ${value}`;
}

/** Whether a directive can have an effect on any crawler. */
export function hasEffect({ notes }: DirectiveObject): boolean {
  return !notes.some((note) => NO_EFFECT.includes(note));
}

const NO_EFFECT = ["unknown", "missing-value", "invalid-value", "invalid-date", "disabled", "robots-as-agent"];

/** The crawlers that never see rules of the page, by the line of robots.txt that blocks it (0 without one). */
export function unseenRules(rows: readonly PageRow[]): { line: number; crawlers: string[]; rules: string[] }[] {
  const byLine = new Map<number, { line: number; crawlers: string[]; rules: Set<string> }>();
  for (const row of rows) {
    if (row.fetch_allowed || row.directives.length === 0) continue;
    const line = row.robots?.rule?.line ?? 0;
    const entry = byLine.get(line) ?? { line, crawlers: [], rules: new Set<string>() };
    entry.crawlers.push(row.agent_name);
    for (const directive of row.directives) entry.rules.add(directiveText(directive));
    byLine.set(line, entry);
  }
  return [...byLine.values()].map((entry) => ({ ...entry, rules: [...entry.rules] }));
}
