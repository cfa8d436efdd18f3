/** Everything that the file states: access, delays, rates, visit times, uses, licences, sitemaps and hosts. */

import type { CrawlerFactsObject, SiteFactsObject } from "../../api-types.js";
import type { App } from "../../app.js";
import type { Registry } from "../../crawlers.js";
import { showDialog } from "../../dialog.js";
import { type Child, fill, h } from "../../dom.js";
import { missingText } from "../../fetched-text.js";
import type { Texts } from "../../texts.js";
import { formatSeconds } from "../../units.js";
import { draftContent } from "../parts/draft.js";
import { lineButton } from "../parts/line-button.js";
import { failureText } from "../parts/problems.js";
import { PURPOSES } from "../usage/answer.js";
import { PURPOSE_TEXTS } from "../usage/explanation.js";

type GoTo = (line: number) => void;

/** More crawlers or rules of a row are not listed. */
const MAX_NAMES = 12;
const MAX_RULES = 10;
/** Most sites look for it, chosen or not. */
const ALWAYS_NAMED = "bingbot";

/** Show what the file states. `goTo` shows a line in the editor. */
export async function showFacts({ answers, store, texts, verdicts }: App, goTo: GoTo): Promise<void> {
  if (!answers) return;
  const body = h("div", { class: "facts", "data-state": "pending", role: "status" }, texts.t("views_loading"));
  const request = new AbortController();
  const dialog = showDialog({ name: "facts", title: texts.t("facts_title"), body }, texts);
  dialog.addEventListener("close", () => request.abort());
  const missing = missingText(texts, store.state);
  if (missing !== null) {
    fill(body, h("p", { "data-result": "no-file" }, missing));
    body.dataset["state"] = "ready";
    return;
  }
  const leave = (line: number): void => {
    dialog.close();
    goTo(line);
  };
  try {
    const { file, bytes, profile } = store.state;
    const facts = await answers.post<SiteFactsObject>("facts", { ...draftContent({ file, bytes }), profile }, request.signal);
    const { registry } = verdicts.results.state;
    fill(body, factsOf(facts, [...new Set([...store.state.crawlers, ALWAYS_NAMED])], registry, texts, leave));
    body.dataset["state"] = "ready";
  } catch (error) {
    if (request.signal.aborted) return;
    fill(body, h("p", { class: "note error" }, failureText(texts, error)));
    body.dataset["state"] = "failed";
  }
}

function factsOf(
  { crawlers, sitemaps, hosts, truncated }: SiteFactsObject,
  chosen: readonly string[],
  registry: Registry,
  texts: Texts,
  goTo: GoTo,
): Child {
  const shown = (names: readonly string[]): string[] => names.map((name) => registry.shownName(name));
  const values = (records: SiteFactsObject["sitemaps"]): HTMLElement[] =>
    records.map(({ value, line }) => item(texts, h("code", { translate: "no" }, value), line, goTo));
  const hostValues = values(hosts);
  hostValues.forEach((value) => value.append(" ", h("span", { class: "soft" }, texts.t("facts_host_unread"))));
  return [
    sitemaps.length + hosts.length > 0
      ? h(
          "section",
          { class: "facts-row", "data-facts": "file" },
          h("h3", {}, texts.t("facts_file")),
          h("dl", {}, fact(texts.t("facts_sitemaps"), values(sitemaps)), fact(texts.t("facts_hosts"), hostValues)),
        )
      : null,
    crawlers.map((row) => crawlerFacts({ ...row, names: shown(row.names) }, shown(namesOf(row, crawlers, chosen)), texts, goTo)),
    truncated ? h("p", { class: "soft small" }, texts.t("facts_truncated")) : null,
  ];
}

/** Return the crawlers of a row that the file does not name: all of them, or the chosen ones if there are many. */
function namesOf(
  { kind, known_crawlers: known }: CrawlerFactsObject,
  rows: readonly CrawlerFactsObject[],
  chosen: readonly string[],
): readonly string[] {
  if (known.length <= MAX_NAMES) return known;
  const listed = new Set(rows.flatMap((row) => [...row.names, ...row.known_crawlers]).map((name) => name.toLowerCase()));
  // A crawler that is in no row is unknown, and follows the rules for all others.
  return chosen.filter((name) => known.includes(name) || (kind === "others" && !listed.has(name.toLowerCase())));
}

function crawlerFacts(row: CrawlerFactsObject, known: readonly string[], texts: Texts, goTo: GoTo): HTMLElement {
  const { kind, names, may_fetch: access, pace, usage, licenses, lines, control_tokens: tokens, fetches_nothing: isToken } = row;
  const title = kind === "others" ? texts.t("facts_others") : kind === "ignoring-star" ? texts.t("facts_ignoring") : texts.list(names);
  const { seconds_between_requests: delay, crawl_delay_line: delayLine, request_rates: rates, visit_times: visits } = pace;
  const uses = PURPOSES.flatMap((purpose) => {
    const { preference, records } = usage[purpose];
    if (preference === "unknown") return [];
    const key = preference === "disallow" ? "usage_means_reserved" : "usage_means_allowed";
    return [item(texts, texts.t(key, { label: texts.t(PURPOSE_TEXTS[purpose]) }), records[0]?.line ?? null, goTo)];
  });
  return h(
    "section",
    { class: "facts-row", "data-facts": kind },
    h("h3", {}, h("span", { translate: kind === "named" ? "no" : null }, title), lineButtons(lines, texts, goTo)),
    known.length > 0 ? h("p", { class: "soft small", translate: "no" }, known.join(", ")) : null,
    h(
      "dl",
      {},
      fact(
        texts.t("usage_fetch"),
        h("li", { "data-access": access }, texts.t(isToken && access !== "undecided" ? `facts_token_${access}` : `facts_${access}`)),
      ),
      isToken ? null : fact(texts.t("facts_tokens"), nameItem(tokens, texts)),
      access === "some" || access === "undecided"
        ? [fact(texts.t("badge_blocked"), rules(row, "disallow", texts, goTo)), fact(texts.t("badge_allowed"), rules(row, "allow", texts, goTo))]
        : null,
      fact(
        texts.t("facts_delay"),
        delay === null ? null : item(texts, texts.t("facts_delay_value", { time: formatSeconds(delay, texts) }), delayLine, goTo),
      ),
      fact(texts.t("facts_delay_ignored"), nameItem(row.ignoring_crawl_delay, texts)),
      fact(texts.t("facts_delay_window"), nameItem(row.crawl_delay_as_window, texts)),
      fact(
        texts.t("facts_rate"),
        rates.map(({ requests, seconds, window, line }) => {
          const value = texts.t("facts_rate_value", { count: requests, time: formatSeconds(seconds, texts) });
          return item(texts, window ? `${value}, ${period(window, texts)}` : value, line, goTo);
        }),
      ),
      fact(texts.t("facts_visits"), visits.map((visit) => item(texts, period(visit, texts), visit.line, goTo))),
      fact(texts.t("view_usage"), uses),
      fact(
        texts.t("usage_licences"),
        licenses.map(({ value, line }) => item(texts, h("code", { translate: "no" }, value), line, goTo)),
      ),
    ),
  );
}

/** The rules of a kind that match some URL, as `canfetch facts` lists them. */
function rules({ rules: all, rule_count: total }: CrawlerFactsObject, kind: "allow" | "disallow", texts: Texts, goTo: GoTo): Child {
  const found = all.filter(({ type, matches }) => type === kind && matches);
  const more = found.length - MAX_RULES;
  return found.length === 0
    ? null
    : [
        found.slice(0, MAX_RULES).map(({ pattern, line }) => item(texts, h("code", { translate: "no" }, pattern), line, goTo)),
        // The answer has the first hundred rules.
        total > all.length ? h("li", {}, "…") : more > 0 ? h("li", { class: "soft" }, texts.t("compare_more_patterns", { count: more })) : null,
      ];
}

function period({ start, end }: { readonly start: string; readonly end: string }, texts: Texts): string {
  return texts.t("facts_period", { start, end });
}

/** The user-agent lines of a row. Groups with the same rules can be far apart. */
function lineButtons(lines: readonly number[], texts: Texts, goTo: GoTo): Child {
  const shown = lines.slice(0, MAX_NAMES).map((line) => [" ", lineButton(texts, line, goTo)]);
  return lines.length > MAX_NAMES ? [...shown, " …"] : shown;
}

function nameItem(names: readonly string[], texts: Texts): Child {
  return names.length > 0 ? h("li", { translate: "no" }, texts.list(names)) : null;
}

/** Return a term and its values, or nothing without values. */
function fact(term: string, values: Child): Child {
  if (!values || (Array.isArray(values) && values.length === 0)) return null;
  return h("div", {}, h("dt", {}, term), h("dd", {}, h("ul", {}, values)));
}

function item(texts: Texts, value: Child, line: number | null, goTo: GoTo): HTMLElement {
  return h("li", {}, value, " ", line === null ? null : lineButton(texts, line, goTo));
}
