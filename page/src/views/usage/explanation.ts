/** Explains one cell of the Usage view: the statements, access, who honours them, and what was not read. */

import type { CrawlerUsesObject, UsagePurpose, UseSourceObject, UseStatementObject, UseTableObject } from "../../api-types.js";
import { type Child, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { explanationHead, explanationSection } from "../parts/explanation.js";
import { lineButton } from "../parts/line-button.js";
import {
  decidingStatement,
  honouredRecords,
  isReadable,
  isUnread,
  placeText,
  recordName,
  shownStatements,
  type UsageState,
  usageState,
} from "./answer.js";

export const PURPOSE_TEXTS = {
  search: "usage_search",
  "ai-use": "usage_ai_use",
  training: "usage_training",
} as const satisfies Record<UsagePurpose, string>;

export const STATE_TEXTS = {
  reserved: "usage_state_reserved",
  allowed: "usage_state_allowed",
  none: "usage_state_none",
  unread: "usage_state_unread",
} as const satisfies Record<UsageState, string>;

export const STATE_MARKS = { reserved: "blocked", allowed: "allowed", none: "none", unread: "unread" } as const;

type GoTo = (line: number) => void;

export function explainUsage(
  texts: Texts,
  answer: UseTableObject,
  crawler: CrawlerUsesObject,
  column: UsagePurpose | "fetch",
  goTo: GoTo,
): Child[] {
  return [
    column === "fetch" ? accessHead(texts, crawler) : purposeHead(texts, crawler, column),
    h("p", { class: "explanation-path mono" }, answer.url),
    column === "fetch" ? null : statements(texts, answer, crawler, column, goTo),
    explanationSection(texts.t("usage_fetch"), accessText(texts, crawler, goTo)),
    explanationSection(texts.t("usage_honours"), h("p", {}, honoursText(texts, crawler))),
    unreadSources(texts, [...answer.sources, ...crawler.licenses]),
  ];
}

function accessHead(texts: Texts, { agent_name: name, allowed, line, control_token: isToken }: CrawlerUsesObject): Child[] {
  if (isToken) return explanationHead("unread", texts.t("usage_fetches_nothing"), `${name}: ${texts.t("usage_fetch")}`);
  const state = !allowed ? "blocked" : line === null ? "none" : "allowed";
  return explanationHead(state, texts.t(allowed ? "usage_may_fetch" : "legend_blocked"), `${name}: ${texts.t("usage_fetch")}`);
}

function purposeHead(texts: Texts, crawler: CrawlerUsesObject, purpose: UsagePurpose): Child[] {
  const state = usageState(crawler, purpose);
  const title = `${crawler.agent_name}: ${texts.t(PURPOSE_TEXTS[purpose])}`;
  return explanationHead(STATE_MARKS[state], texts.t(STATE_TEXTS[state]), title);
}

function statements(
  texts: Texts,
  answer: UseTableObject,
  crawler: CrawlerUsesObject,
  purpose: UsagePurpose,
  goTo: GoTo,
): Child[] {
  const use = crawler.uses[purpose];
  const deciding = decidingStatement(use);
  const own = new Set(Object.values(crawler.uses).flatMap(({ statements: all }) => all.map(({ line }) => line)));
  const elsewhere = answer.records.filter((record) => {
    const { name, line, scope } = record;
    return name !== "license" && scope === "group" && !own.has(line) && isReadable(record);
  });
  const rows = isUnread(crawler) ? [] : shownStatements(use).map((one) => statementRow(texts, one, one === deciding, goTo));
  return [
    h("p", { class: "explanation-lead" }, leadText(texts, crawler, purpose, goTo)),
    // Google has one control token.
    crawler.operator === "Google" && !isUnread(crawler) && deciding?.kind === "control-token"
      ? h("p", { class: "note" }, texts.t("usage_google_extended"))
      : null,
    rows.length > 0 ? h("ul", { class: "statements" }, rows) : null,
    !isUnread(crawler) && rows.length === 0 && elsewhere.length > 0
      ? h(
          "p",
          { class: "note" },
          texts.nodes("usage_elsewhere", {
            count: elsewhere.length,
            lines: lineList(texts, elsewhere.map(({ line }) => line), goTo),
            crawler: crawler.agent_name,
          }),
        )
      : null,
  ];
}

function statementRow(texts: Texts, statement: UseStatementObject, decides: boolean, goTo: GoTo): HTMLElement {
  const { preference, text, note } = statement;
  return h(
    "li",
    { class: decides ? "statement deciding" : "statement" },
    placeNode(texts, statement, goTo),
    h("code", {}, text),
    preference === "unknown"
      ? null
      : h(
          "span",
          { class: preference === "disallow" ? "blocked-text" : "allowed-text" },
          texts.t(STATE_TEXTS[preference === "disallow" ? "reserved" : "allowed"]),
        ),
    note === "" ? null : h("span", { class: "soft", lang: "en" }, note),
  );
}

function placeNode(texts: Texts, statement: UseStatementObject, goTo: GoTo): HTMLElement {
  const { line } = statement;
  return line === null ? h("span", {}, placeText(texts, statement)) : lineButton(texts, line, goTo);
}

function leadText(texts: Texts, crawler: CrawlerUsesObject, purpose: UsagePurpose, goTo: GoTo): Child {
  if (isUnread(crawler)) return texts.t("usage_unread");
  const use = crawler.uses[purpose];
  const deciding = decidingStatement(use);
  if (!deciding) return texts.t("usage_none", { crawler: crawler.agent_name });
  const place = placeNode(texts, deciding, goTo);
  const disagree = use.allowed === false && use.statements.some(({ preference }) => preference === "allow");
  if (disagree) return texts.nodes("usage_disagree", { place });
  return texts.nodes(use.allowed ? "usage_allowed" : "usage_reserved", { place });
}

function accessText(texts: Texts, answered: CrawlerUsesObject, goTo: GoTo): HTMLElement {
  const { agent_name: crawler, operator, allowed, line, uses } = answered;
  if (answered.control_token) return h("p", {}, texts.nodes("crawler_token_only", { crawler, operator: operator ?? "" }));
  if (line === null) return h("p", {}, texts.t(allowed ? "usage_fetch_no_rule" : "usage_fetch_blocked", { crawler }));
  const key = allowed ? "usage_fetch_allowed_by" : "usage_fetch_blocked_by";
  // The note names the user-agent lines of the group.
  const rule = uses.training.statements.find(({ kind }) => kind === "rule");
  const note = rule ? h("span", { class: "soft", lang: "en" }, ` ${rule.note}`) : null;
  return h("p", {}, texts.nodes(key, { crawler, line: lineButton(texts, line, goTo) }), note);
}

function honoursText(texts: Texts, crawler: CrawlerUsesObject): string {
  const { agent_name: name, operator } = crawler;
  if (operator === null) return texts.t("usage_honours_unknown", { crawler: name });
  const records = honouredRecords(crawler).map(recordName);
  if (records.length > 0) {
    return texts.t("usage_honours_yes", { operator, crawler: name, records: texts.list(records) });
  }
  return texts.t("usage_honours_no", { operator, crawler: name });
}

function unreadSources(texts: Texts, sources: readonly UseSourceObject[]): Child {
  const unread = sources.filter(({ state }) => state !== "read" && state !== "absent");
  if (unread.length === 0) return null;
  const names = unread.map(({ name, detail, url }) => {
    const facts = [url ?? "", detail].filter((fact) => fact !== "");
    return facts.length === 0 ? name : `${name} (${facts.join(", ")})`;
  });
  return h("p", { class: "note", "data-result": "unread" }, texts.t("usage_not_read", { sources: texts.list(names) }));
}

function lineList(texts: Texts, lines: readonly number[], goTo: GoTo): HTMLElement {
  return h("span", {}, texts.listNodes(lines.map((line) => lineButton(texts, line, goTo))));
}
