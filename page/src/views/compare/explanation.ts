/** Explains one change: what decided before, and what decides now. */

import { type Child, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { lineButton } from "../parts/line-button.js";
import { mark } from "../parts/marks.js";
import type { Change, Comparison } from "./comparison.js";

export interface Lines {
  readonly old: readonly string[];
  readonly updated: readonly string[];
}

export interface GoTo {
  old(line: number): void;
  updated(line: number): void;
}

export function explainChange(texts: Texts, comparison: Comparison, change: Change, lines: Lines, goTo: GoTo): Child[] {
  const { outcome, oldLine, newLine } = change;
  const crawler = comparison.crawlers[change.crawler] ?? "";
  const was = outcome === "blocked" ? "allowed" : "blocked";
  return [
    h("p", { class: `state-badge ${outcome}` }, mark(outcome), texts.t(`compare_newly_${outcome}`)),
    h("h2", { class: "explanation-title" }, crawler),
    h("p", { class: "explanation-path mono" }, comparison.urls[change.url]),
    h(
      "dl",
      { class: "before-after" },
      side(texts, texts.t("compare_before"), was, oldLine, lines.old, goTo.old),
      side(texts, texts.t("compare_after"), outcome, newLine, lines.updated, goTo.updated),
    ),
  ];
}

function side(
  texts: Texts,
  title: string,
  outcome: "blocked" | "allowed",
  line: number,
  lines: readonly string[],
  goTo: (line: number) => void,
): Child[] {
  return [
    h("dt", {}, title),
    h(
      "dd",
      {},
      h("span", { class: `${outcome}-text` }, texts.t(`compare_${outcome}`)),
      line === 0
        ? h("span", { class: "soft" }, texts.t("compare_no_rule"))
        : [lineButton(texts, line, goTo), h("code", { translate: "no" }, lines[line - 1] ?? "")],
    ),
  ];
}
