/** The part of a link that restores Usage, Page rules or Compare: only that of the view that is shown. */

import { toBase64 } from "../bytes.js";
import type { State } from "../state.js";
import { beforeOf } from "./compare/before.js";
import { type CompareViewState, INITIAL_COMPARE } from "./compare/state.js";
import { INITIAL_RULES } from "./rules/state.js";
import { INITIAL_USAGE } from "./usage/state.js";

const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;

export type ViewStates = Pick<State, "usage" | "rules" | "compare">;
type Linked = ViewStates & Pick<State, "view" | "file" | "loaded" | "source" | "edited">;

/** Return what a link holds for the view, or undefined if there is nothing to restore. */
export function linkedView(state: Linked): object | undefined {
  switch (state.view) {
    case "usage":
      return state.usage;
    case "rules":
      return state.rules;
    case "compare": {
      // The fetched file or the example is not known where the link is opened.
      const { url, crawler } = state.compare;
      const { text, bytes } = beforeOf(state);
      return { ...INITIAL_COMPARE, source: "pasted", before: text, encoded: bytes && toBase64(bytes), url, crawler };
    }
    case "access":
      return undefined;
  }
}

/** Return the state of the view of a link. What is missing or invalid has its initial value. */
export function restoredView(view: unknown, json: unknown): Partial<ViewStates> {
  switch (view) {
    case "usage":
      return { usage: checked(INITIAL_USAGE, json, { column: ["fetch", "search", "ai-use", "training"] }) };
    case "rules":
      return { rules: checked(INITIAL_RULES, json, { mode: ["paste", "fetch"] }) };
    case "compare":
      return { compare: withValidBytes(checked(INITIAL_COMPARE, json, { source: ["loaded", "live", "pasted", "opened"] })) };
    default:
      return {};
  }
}

function withValidBytes(compare: CompareViewState): CompareViewState {
  return compare.encoded === null || BASE64.test(compare.encoded) ? compare : { ...compare, encoded: null };
}

/** All values of these states are texts or null, because a link has no other ones. */
function checked<T extends { [Key in keyof T]: string | null }>(initial: T, json: unknown, choices: Readonly<Record<string, readonly string[]>>): T {
  if (typeof json !== "object" || json === null) return initial;
  const known = Object.entries(json).filter(
    ([key, value]) =>
      Object.hasOwn(initial, key) &&
      (typeof value === "string" || (value === null && initial[key as keyof T] === null)) &&
      (choices[key]?.includes(value as string) ?? true),
  );
  return { ...initial, ...Object.fromEntries(known) };
}
