/** What the server proved for all URLs, not only the listed ones. */

import type { ChangedURLs, Comparison, ExactChange } from "../../api-types.js";
import { type Child, h } from "../../dom.js";
import type { Registry } from "../../crawlers.js";
import type { Texts } from "../../texts.js";
import { changeName, type Outcome } from "./comparison.js";

const MAX_PATTERNS = 8;

export function proofSection(texts: Texts, registry: Registry, { changed_profiles: changed, all_urls: exact }: Comparison, profile: string): Child {
  const note = (key: Parameters<Texts["t"]>[0]): HTMLElement => h("p", { class: "note proof-note" }, texts.t(key));
  if (!changed.includes(profile)) return note("compare_proved_equal");
  if (exact.undecided) return note("compare_others_can_change");
  if (exact.changes.length === 0) return note("compare_proved_for_chosen");
  return h(
    "section",
    { class: "records", "data-result": "compare-exact" },
    h("h3", {}, texts.t("compare_exact")),
    h("ul", { class: "statements" }, exact.changes.map((change) => changeItems(texts, registry, change))),
  );
}

/** The same change is one item for the crawlers, and one for the control tokens. */
function changeItems(texts: Texts, registry: Registry, { agents, newly_disallowed: lost, newly_allowed: gained }: ExactChange): Child {
  const isToken = (agent: string): boolean => registry.isControlToken(agent);
  return [agents.filter((agent) => !isToken(agent)), agents.filter(isToken)].map((names) => {
    const [first] = names;
    if (first === undefined) return null;
    const urls = (changed: ChangedURLs, outcome: Outcome): Child =>
      changedUrls(texts, changed, outcome, texts.t(`compare_newly_${changeName(outcome, first, registry)}`));
    return h(
      "li",
      { class: "statement" },
      h("span", { class: "row-name", translate: "no" }, texts.list(names)),
      urls(lost, "blocked"),
      urls(gained, "allowed"),
    );
  });
}

function changedUrls(texts: Texts, { patterns, partial_patterns: partial, examples }: ChangedURLs, outcome: Outcome, name: string): Child {
  const [example] = examples;
  if (example === undefined) return null;
  const shown = [
    ...patterns.map((pattern) => h("code", {}, pattern)),
    ...partial.map((pattern) => h("span", {}, texts.nodes("compare_in_part", { pattern: h("code", {}, pattern) }))),
  ];
  const more = shown.length - MAX_PATTERNS;
  return h(
    "p",
    { class: "small" },
    h("span", { class: `${outcome}-text` }, name),
    ": ",
    shown.slice(0, MAX_PATTERNS).flatMap((item, index) => (index === 0 ? [item] : [", ", item])),
    more > 0 ? ` ${texts.t("compare_more_patterns", { count: more })}` : null,
    " ",
    h("span", { class: "soft" }, texts.nodes("compare_such_as", { url: h("code", {}, example) })),
  );
}
