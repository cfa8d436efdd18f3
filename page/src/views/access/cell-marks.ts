/** What a cell of the matrix shows: its mark, whether readings differ, and the words for it. */

import type { Registry } from "../../crawlers.js";
import { isDecidedByPolicy, type State } from "../../state.js";
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
export function verdictKey(mark: Exclude<MarkName, "invalid">, token: string, registry: Registry, state: State): TextKey {
  return mark === "blocked" && registry.isControlToken(token) ? "legend_denied" : `legend_${reasonOf(mark, state)}`;
}

/** Return the mark of a cell, or what the access policy does if it decides. */
export function reasonOf<Mark extends MarkName>(mark: Mark, state: State): Mark | "closed" | "opened" {
  return !isDecidedByPolicy(state) ? mark : state.closed ? "closed" : "opened";
}

/** Return the marks for a legend. The access policy decides all cells alike. */
export function legendMarks<Mark extends MarkName>(marks: readonly Mark[], state: State): readonly Mark[] {
  return isDecidedByPolicy(state) ? marks.filter((mark) => mark === (state.closed ? "blocked" : "none")) : marks;
}
