/** Explains one cell of the Usage view: the statements, access, who honours them, licenses and TDMRep. */

import type { CrawlerUsage, UsagePurpose, UsageTable } from "../../api-types.js";
import { type Child, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { lineButton } from "../parts/line-button.js";
import { mark } from "../parts/marks.js";
import {
  decidingStatement,
  honouredRecords,
  isReadable,
  recordName,
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
  answer: UsageTable,
  crawler: CrawlerUsage,
  column: UsagePurpose | "fetch",
  goTo: GoTo,
): Child[] {
  return [
    column === "fetch" ? accessHead(texts, crawler) : purposeHead(texts, crawler, column),
    h("p", { class: "explanation-path mono" }, answer.url),
    column === "fetch" ? null : statements(texts, answer, crawler, column, goTo),
    section(texts.t("usage_access"), accessText(texts, crawler, goTo)),
    section(texts.t("usage_honours"), h("p", {}, honoursText(texts, crawler))),
    licences(texts, crawler, goTo),
    reservation(texts, answer),
  ];
}

function accessHead(texts: Texts, { agent_name: name, allowed, line }: CrawlerUsage): Child[] {
  const state = !allowed ? "blocked" : line === null ? "none" : "allowed";
  return [
    badge(state, texts.t(allowed ? "usage_may_fetch" : "usage_blocked")),
    h("h2", { class: "explanation-title" }, `${name}: ${texts.t("usage_fetch")}`),
  ];
}

function purposeHead(texts: Texts, crawler: CrawlerUsage, purpose: UsagePurpose): Child[] {
  const state = usageState(crawler, purpose);
  return [
    badge(STATE_MARKS[state], texts.t(STATE_TEXTS[state])),
    h("h2", { class: "explanation-title" }, `${crawler.agent_name}: ${texts.t(PURPOSE_TEXTS[purpose])}`),
  ];
}

function badge(state: "blocked" | "allowed" | "none" | "unread", text: string): HTMLElement {
  return h("p", { class: `state-badge ${state}` }, mark(state), text);
}

function section(title: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "explanation-section" }, h("h3", {}, title), children);
}

function statements(
  texts: Texts,
  answer: UsageTable,
  crawler: CrawlerUsage,
  purpose: UsagePurpose,
  goTo: GoTo,
): Child[] {
  const usage = crawler.usage[purpose];
  const deciding = decidingStatement(usage);
  const own = new Set(
    Object.values(crawler.usage).flatMap(({ statements: all }) => all.map(({ record }) => record.line)),
  );
  const elsewhere = answer.records.filter((record) => {
    const { name, line, scope } = record;
    return name !== "license" && scope === "group" && !own.has(line) && isReadable(record);
  });
  const rows = usage.statements.map((statement) => {
    const { record, label, preference } = statement;
    const reserved = preference === "disallow";
    return h(
      "li",
      { class: statement === deciding ? "statement deciding" : "statement" },
      lineButton(texts, record.line, goTo),
      h("code", {}, `${recordName(record.name)}: ${record.value}`),
      h(
        "span",
        { class: reserved ? "blocked-text" : "allowed-text" },
        texts.t(reserved ? "usage_means_reserved" : "usage_means_allowed", { label }),
      ),
    );
  });
  return [
    h("p", { class: "explanation-lead" }, leadText(texts, crawler, purpose, goTo)),
    rows.length > 0 ? h("ul", { class: "statements" }, rows) : null,
    crawler.allowed && rows.length === 0 && elsewhere.length > 0
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

function leadText(texts: Texts, crawler: CrawlerUsage, purpose: UsagePurpose, goTo: GoTo): Child {
  if (!crawler.allowed) return texts.t("usage_unread");
  const usage = crawler.usage[purpose];
  const deciding = decidingStatement(usage);
  if (!deciding) return texts.t("usage_none", { crawler: crawler.agent_name });
  const line = lineButton(texts, deciding.record.line, goTo);
  const disagree = usage.statements.some(({ preference }) => preference !== deciding.preference);
  if (disagree) return texts.nodes("usage_disagree", { line });
  return texts.nodes(deciding.preference === "disallow" ? "usage_reserved" : "usage_allowed", { line });
}

function accessText(texts: Texts, { agent_name: crawler, allowed, line }: CrawlerUsage, goTo: GoTo): HTMLElement {
  if (line === null) return h("p", {}, texts.t(allowed ? "usage_fetch_no_rule" : "usage_fetch_blocked", { crawler }));
  const key = allowed ? "usage_fetch_allowed_by" : "usage_fetch_blocked_by";
  return h("p", {}, texts.nodes(key, { crawler, line: lineButton(texts, line, goTo) }));
}

function honoursText(texts: Texts, crawler: CrawlerUsage): string {
  const { agent_name: name, operator } = crawler;
  if (operator === null) return texts.t("usage_honours_unknown", { crawler: name });
  const records = honouredRecords(crawler).map(recordName);
  if (records.length > 0) {
    return texts.t("usage_honours_yes", { operator, crawler: name, records: texts.list(records) });
  }
  return texts.t("usage_honours_no", { operator, crawler: name });
}

function licences(texts: Texts, { usage }: CrawlerUsage, goTo: GoTo): Child {
  const { licenses } = usage.training;
  if (licenses.length === 0) return null;
  return section(
    texts.t("usage_licences"),
    h(
      "ul",
      { class: "statements" },
      licenses.map(({ line, value }) =>
        h("li", { class: "statement" }, lineButton(texts, line, goTo), h("code", {}, value)),
      ),
    ),
  );
}

const TDM_PLACES = {
  "tdmrep.json": "usage_tdm_in_file",
  "tdm-header": "usage_tdm_in_header",
  "tdm-meta": "usage_tdm_in_header",
} as const;

function reservation(texts: Texts, { tdm_reservation: found, tdm_file_problem: problem }: UsageTable): Child {
  if (problem !== null) {
    return section("TDMRep", h("p", { class: "note warning" }, texts.t("usage_tdm_problem", { reason: problem })));
  }
  if (found === null || found.reserved === null) return null;
  const place = TDM_PLACES[found.position.source as keyof typeof TDM_PLACES] ?? "usage_tdm_in_file";
  return section(
    "TDMRep",
    h("p", {}, texts.t(found.reserved ? "usage_tdm_reserved" : "usage_tdm_open"), " ", texts.t(place, { number: found.position.number })),
    found.policy === null ? null : h("p", {}, texts.nodes("usage_tdm_policy", { policy: h("code", {}, found.policy) })),
  );
}

function lineList(texts: Texts, lines: readonly number[], goTo: GoTo): HTMLElement {
  return h("span", {}, texts.listNodes(lines.map((line) => lineButton(texts, line, goTo))));
}
