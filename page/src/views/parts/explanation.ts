/** The parts of the explanations of Usage, Page rules and Compare: what a cell says, and sections with titles. */

import { type Child, h } from "../../dom.js";
import { type Mark, mark } from "./marks.js";

/** Return the head of an explanation: the state of the cell with its mark, and what the cell is about. */
export function explanationHead(state: Mark, text: string, title: string): Child[] {
  return [h("p", { class: `state-badge ${state}` }, mark(state), text), h("h2", { class: "explanation-title" }, title)];
}

export function explanationSection(title: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "explanation-section" }, h("h3", {}, title), children);
}
