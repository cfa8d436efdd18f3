/** Explains one cell of the Page rules view: the rule that decides, where it is, and whether it is seen. */

import type { DirectiveObject, PageRow, RulePosition } from "../../api-types.js";
import { type Child, h } from "../../dom.js";
import type { Texts, TextKey } from "../../texts.js";
import { explanationHead, explanationSection } from "../parts/explanation.js";
import { directiveText, hasEffect, type Use, type UseState, useState } from "./answer.js";

export const USE_TEXTS = {
  fetch: "usage_fetch",
  may_index: "rules_may_index",
  may_list: "rules_may_list",
  may_index_embedded: "rules_may_index_embedded",
  may_index_images: "rules_may_index_images",
  may_follow: "rules_may_follow",
  may_snippet: "rules_may_snippet",
  may_preview_images: "rules_may_preview_images",
  may_preview_video: "rules_may_preview_video",
  may_archive: "rules_may_archive",
  may_translate: "rules_may_translate",
  may_answer: "rules_may_answer",
  may_train: "rules_may_train",
  may_train_images: "rules_may_train_images",
  available: "rules_available",
} as const satisfies Record<Use | "fetch", TextKey>;

export const STATE_TEXTS = {
  blocked: "rules_state_blocked",
  limited: "rules_state_limited",
  allowed: "rules_state_allowed",
  none: "rules_state_none",
  unread: "rules_state_unread",
} as const satisfies Record<UseState, TextKey>;

export interface Places {
  /** Return the place of a rule: words, or a button that shows it in the pasted text. */
  rule(position: RulePosition): HTMLElement;
  /** Return a line of robots.txt, likewise. */
  robots(line: number): HTMLElement;
}

export function explainUse(texts: Texts, row: PageRow, use: Use | "fetch", places: Places): Child[] {
  const state = useState(row, use);
  return [
    explanationHead(state, texts.t(STATE_TEXTS[state]), `${row.agent_name}: ${texts.t(USE_TEXTS[use])}`),
    h("p", { class: "explanation-lead" }, leadText(texts, row, use, places)),
    use === "fetch" ? null : decidingRules(texts, row, use, places),
    row.fetch_allowed ? [ownRules(texts, row, places), ineffectiveRules(texts, row, places)] : unseen(texts, row, places),
    explanationSection(
      texts.t("rules_reading"),
      h("p", {}, texts.t(row.dialect === "restrictive" ? "rules_dialect_none" : "rules_dialect", dialectValues(row))),
    ),
  ];
}

const DIALECT_NAMES: Readonly<Record<string, string>> = {
  google: "Google",
  bing: "Microsoft",
  yandex: "Yandex",
  apple: "Apple",
  amazon: "Amazon",
};

function dialectValues({ agent_name: crawler, dialect }: PageRow): Record<string, string> {
  return { crawler, operator: DIALECT_NAMES[dialect] ?? dialect };
}

function leadText(texts: Texts, row: PageRow, use: Use | "fetch", places: Places): Child {
  const { robots } = row;
  if (use === "fetch" || !row.fetch_allowed) {
    if (robots === null) return texts.t("rules_robots_unknown");
    const line = robots.rule ? places.robots(robots.rule.line) : null;
    if (!row.fetch_allowed) {
      if (use === "may_list") return texts.t("rules_listed_anyway");
      return line ? texts.nodes("rules_blocked_by", { line }) : texts.t("rules_blocked_site");
    }
    return line ? texts.nodes("rules_fetch_allowed_by", { line }) : texts.t("rules_fetch_no_rule");
  }
  const { reason, directive, limit } = row[use];
  if (!directive) return texts.t(reason === "no-restriction" ? "rules_no_restriction" : "rules_reserved");
  const rule = h("code", {}, directiveText(directive));
  const place = places.rule(directive.position);
  if (reason === "expired") return texts.nodes("rules_expired", { rule, place });
  if (limit !== null) return texts.nodes("rules_limited_by", { rule, place, limit: limitText(texts, use, limit) });
  return texts.nodes(reason === "permissive-directive" ? "rules_allowed_by" : "rules_decided_by", { rule, place });
}

function limitText(texts: Texts, use: Use, limit: number | string): string {
  if (use === "available") return new Date(limit).toLocaleDateString(texts.language, { dateStyle: "long", timeZone: "UTC" });
  if (limit === "snippet") return texts.t("rules_limit_snippet");
  if (typeof limit === "string") return limit;
  return texts.t(use === "may_preview_video" ? "seconds" : "rules_limit_characters", { count: limit });
}

function decidingRules(texts: Texts, row: PageRow, use: Use, places: Places): Child {
  const { directive, other_directives: others } = row[use];
  if (!directive || others.length === 0) return null;
  return explanationSection(texts.t("rules_also"), ruleList(texts, others, places));
}

function ownRules(texts: Texts, { directives, agent_name: crawler }: PageRow, places: Places): Child {
  if (directives.length === 0) return null;
  return explanationSection(texts.t("rules_for", { crawler }), ruleList(texts, directives, places));
}

/** The rules for every crawler that have no effect on this one, such as one that its operator no longer documents. */
function ineffectiveRules(texts: Texts, row: PageRow, places: Places): Child {
  const key = ({ name, position }: DirectiveObject): string => JSON.stringify([name, position]);
  const own = new Set(row.directives.map(key));
  const others = row.page.directives.filter((one) => one.agent === null && hasEffect(one) && !own.has(key(one)));
  if (others.length === 0) return null;
  const values = dialectValues(row);
  return explanationSection(texts.t("rules_not_read", values), ruleList(texts, others, places), h("p", { class: "soft" }, texts.t("rules_not_read_why", values)));
}

function unseen(texts: Texts, { directives, agent_name: crawler }: PageRow, places: Places): Child {
  if (directives.length === 0) return null;
  return explanationSection(
    texts.t("rules_never_seen"),
    ruleList(texts, directives, places),
    directives.some(({ name }) => name === "noindex" || name === "none")
      ? h("p", { class: "note warning" }, texts.t("rules_noindex_unseen", { crawler }))
      : null,
  );
}

/** A list of rules with their places, the crawlers that they are for, and what is wrong with them. */
export function ruleList(texts: Texts, directives: readonly DirectiveObject[], places: Places): HTMLElement {
  return h(
    "ul",
    { class: "statements" },
    directives.map((directive) =>
      h(
        "li",
        { class: "statement" },
        h("code", {}, directiveText(directive)),
        directive.agent === null ? null : h("span", { class: "soft" }, texts.t("rules_only_for", { crawler: directive.agent })),
        h("span", { class: "soft" }, places.rule(directive.position)),
        noteTexts(texts, directive).map((text) => h("span", { class: "rule-note" }, text)),
      ),
    ),
  );
}

const NOTE_TEXTS: Readonly<Record<string, TextKey>> = {
  unknown: "rules_note_unknown",
  "missing-value": "rules_note_missing_value",
  "invalid-value": "rules_note_invalid_value",
  "invalid-date": "rules_note_invalid_date",
  "unexpected-value": "rules_note_unexpected_value",
  "missing-comma": "rules_note_missing_comma",
  disabled: "rules_note_disabled",
  "robots-as-agent": "rules_note_robots_as_agent",
};

function noteTexts(texts: Texts, { notes, suggestion }: DirectiveObject): string[] {
  if (suggestion !== null) return [texts.t("rules_note_misspelt", { suggestion })];
  return notes.flatMap((note) => {
    const key = NOTE_TEXTS[note];
    return key ? [texts.t(key)] : [];
  });
}
