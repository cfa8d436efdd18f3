/** What a cell of the matrix shows: its mark, whether readings differ, and the words for it. */

import type { Registry } from "../../crawlers.js";
import type { TextKey } from "../../texts.js";
import type { GridData } from "./grid.js";

export type MarkName = "none" | "allowed" | "blocked" | "invalid";
const MARK_NAMES: readonly MarkName[] = ["none", "allowed", "blocked", "invalid"];

/** Return the mark of a cell of the matrix. */
export function markAt({ marks, columns }: GridData, url: number, crawler: number): MarkName {
  return MARK_NAMES[marks?.[url * columns.length + crawler] ?? 3] ?? "invalid";
}

/** Whether readings differ on a cell of the matrix. */
export function differsAt({ differs, columns }: GridData, url: number, crawler: number): boolean {
  return differs?.[url * columns.length + crawler] === 1;
}

/** Return the text of a verdict. A control token fetches nothing, so it is not blocked. */
export function verdictKey(mark: Exclude<MarkName, "invalid">, token: string, registry: Registry): TextKey {
  return mark === "blocked" && registry.isControlToken(token) ? "legend_denied" : `legend_${mark}`;
}
