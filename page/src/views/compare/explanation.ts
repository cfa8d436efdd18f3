/** Explains one change: what decided before, and what decides now. */

import { type Child, h } from "../../dom.js";
import { purposeTexts, type Registry } from "../../crawlers.js";
import type { Texts } from "../../texts.js";
import { explanationHead } from "../parts/explanation.js";
import { lineButton } from "../parts/line-button.js";
import { type Change, changeName, type Comparison, type Outcome } from "./comparison.js";

export interface Lines {
  readonly old: readonly string[];
  readonly updated: readonly string[];
}

export interface GoTo {
  old(line: number): void;
  updated(line: number): void;
}

export function explainChange(
  texts: Texts,
  registry: Registry,
  comparison: Comparison,
  change: Change,
  lines: Lines,
  goTo: GoTo,
): Child[] {
  const { outcome, oldLine, newLine } = change;
  const crawler = comparison.crawlers[change.crawler] ?? "";
  const token = registry.isControlToken(crawler) ? registry.find(crawler) : undefined;
  const stateText = (state: Outcome): string => {
    if (!token) return texts.t(state === "blocked" ? "legend_blocked" : "usage_may_fetch");
    return texts.t(state === "blocked" ? "usage_means_reserved" : "usage_means_allowed", { label: purposeTexts(token, texts) });
  };
  const state = (shown: Outcome): HTMLElement => h("span", { class: `${shown}-text` }, stateText(shown));
  const was = outcome === "blocked" ? "allowed" : "blocked";
  return [
    explanationHead(outcome, texts.t(`compare_newly_${changeName(outcome, crawler, registry)}`), crawler),
    h("p", { class: "explanation-path mono" }, comparison.urls[change.url]),
    token ? h("p", { class: "soft small" }, texts.t("crawler_token_only", { crawler, operator: token.operator })) : null,
    h(
      "dl",
      { class: "before-after" },
      side(texts, texts.t("compare_before"), state(was), oldLine, lines.old, goTo.old),
      side(texts, texts.t("compare_after"), state(outcome), newLine, lines.updated, goTo.updated),
    ),
  ];
}

function side(
  texts: Texts,
  title: string,
  state: HTMLElement,
  line: number,
  lines: readonly string[],
  goTo: (line: number) => void,
): Child[] {
  return [
    h("dt", {}, title),
    h(
      "dd",
      {},
      state,
      line === 0
        ? h("span", { class: "soft" }, texts.t("legend_none"))
        : [lineButton(texts, line, goTo), h("code", { translate: "no" }, lines[line - 1] ?? "")],
    ),
  ];
}
