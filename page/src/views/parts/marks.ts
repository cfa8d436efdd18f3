/** The marks of cells: each state has a shape, a lightness and a hue, as in the matrix of verdicts. */

import { type Child, h, icon } from "../../dom.js";

export type Mark = "blocked" | "allowed" | "none" | "limited" | "unread" | "same";

const PATHS: Readonly<Record<Mark, readonly string[]>> = {
  blocked: ["M4.5 8h7"],
  allowed: ["M4 8.4l2.7 2.7L12 5.6"],
  none: ["M8 6a2 2 0 1 0 0 4a2 2 0 0 0 0-4"],
  // A bar between two limits.
  limited: ["M4.5 5v6M11.5 5v6M4.5 8h7"],
  // No crawler reads what is there.
  unread: ["M6 10l4-4"],
  same: ["M8 7.900v.2"],
};

/** Return a mark as an element with the colours of its state. */
export function mark(state: Mark): HTMLElement {
  const element = document.createElement("span");
  element.className = `state ${state}`;
  element.append(icon(...PATHS[state]));
  return element;
}

/** Return what marks mean: the foot of a panel. */
export function legend(entries: readonly (readonly [Mark, string])[], ...others: Child[]): HTMLElement {
  return h("div", { class: "panel-foot legend" }, entries.map(([state, text]) => h("span", {}, mark(state), text)), others);
}
