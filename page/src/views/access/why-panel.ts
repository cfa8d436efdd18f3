/** Why the selected cell has its verdict: which line decides, whose rules count, and what other readings make of it. */

import type { App } from "../../app.js";
import { copy } from "../../clipboard.js";
import { purposeTexts, STAR } from "../../crawlers.js";
import { type Child, fill, h } from "../../dom.js";
import { missingText } from "../../fetched-text.js";
import { capitalized } from "../../notes.js";
import type { Explanation, MatchingRule } from "../../engine/types.js";
import { countedProfiles, profileName } from "../../profiles.js";
import type { Texts } from "../../texts.js";
import type { Explained } from "../../verdict-model.js";
import { answerText, commandText, decisionNodes, groupNodes, verdictNodes } from "./answer.js";
import { otherReadings } from "./other-readings.js";

/** A file can repeat a rule thousands of times. */
const MAX_RULES = 200;

export function whyPanel(app: App, goTo: (line: number) => void, copyLink: () => void): HTMLElement {
  const { texts, verdicts, store } = app;
  const content = h("div", { class: "why-content" });
  const button = (name: string, text: string, click: () => void): HTMLElement =>
    h("button", { type: "button", class: "button", "data-control": name, on: { click } }, text);
  const withExplained = (use: (explained: Explained) => void): void => {
    const { explained } = verdicts.results.state;
    if (explained) use(explained);
  };
  const foot = h(
    "div",
    { class: "why-foot" },
    button("copy-answer", texts.t("copy_answer"), () => withExplained((it) => void copy(answerText(it, store.state, verdicts.results.state.registry, texts), app))),
    button("copy-command", texts.t("copy_command"), () =>
      withExplained((it) => void copy(commandText(it, store.state), app)),
    ),
    button("copy-cell-link", texts.t("copy_link"), copyLink),
  );

  /** The cell that is shown. Only another one is announced, and not each change of the file. */
  let shown: Explained["cell"] | null = verdicts.results.state.explained?.cell ?? null;
  const announce = (explained: Explained): void => {
    if (shown !== null && shown !== explained.cell && !store.state.closed) {
      app.announce(answerText(explained, store.state, verdicts.results.state.registry, texts).split("\n").slice(0, 2).join(". "));
    }
    shown = explained.cell;
  };

  const update = (): void => {
    const { explained, engine } = verdicts.results.state;
    foot.hidden = !explained;
    if (!explained) {
      fill(content, h("p", { class: "soft why-empty" }, engine === "failed" ? "" : texts.t("why_empty")));
      element.removeAttribute("data-cell");
      return;
    }
    const missing = missingText(texts, store.state);
    fill(content, missing === null ? explanationParts(explained) : missingParts(explained, missing));
    announce(explained);
    element.dataset["cell"] = `${explained.url} ${explained.crawler}`;
    element.dataset["line"] = String(explained.explanation.rule?.line ?? 0);
  };

  /** Without a file, there are no rules, and no readings of them. */
  function missingParts({ crawler, url }: Explained, reason: string): Child {
    const { closed } = store.state;
    return [
      badge(closed ? "closed" : "opened", crawler),
      headline(!closed, crawler, url),
      h("p", { class: "answer" }, reason),
      crawler === STAR ? null : crawlerSection(app, crawler),
    ];
  }

  function badge(reason: "blocked" | "allowed" | "none" | "closed" | "opened", crawler: string, ...more: Child[]): HTMLElement {
    const mark = reason === "closed" ? "blocked" : reason === "opened" ? "none" : reason;
    const cell = h("span", { class: `cell ${mark}`, "aria-hidden": "true" });
    const isDenied = mark === "blocked" && verdicts.results.state.registry.isControlToken(crawler);
    const text = isDenied ? texts.t("legend_denied") : reason === "closed" || reason === "opened" ? texts.t(`legend_${reason}`) : texts.t(`badge_${reason}`);
    return h("p", { class: "badges" }, h("span", { class: `badge ${mark}` }, cell, capitalized(text, texts.language)), more);
  }

  function headline(allowed: boolean, crawler: string, target: string): HTMLElement {
    return h(
      "h2",
      { class: "headline" },
      verdictNodes(allowed, crawler, verdicts.results.state.registry, texts),
      " ",
      h("span", { class: "headline-path mono", translate: "no" }, wrapPath(target)),
    );
  }

  function explanationParts(explained: Explained): Child {
    const { explanation, crawler, url } = explained;
    const differs = readingsDiffer();
    return [
      badge(
        markOf(explanation),
        crawler,
        differs
          ? h("span", { class: "chip" }, h("span", { class: "corner", "aria-hidden": "true" }), texts.t("badge_differs"))
          : null,
      ),
      headline(explanation.allowed, crawler, explanation.target || url),
      h("p", { class: "answer" }, decisionNodes(explained, texts), differs ? [" ", othersNodes(explained)] : null),
      ruleTable(explanation, texts, goTo),
      section("whose_rules", h("p", {}, groupNodes(explained, texts))),
      otherReadings(app, explained),
      crawler === STAR ? null : crawlerSection(app, crawler),
    ];
  }

  /** "Google's parser would allow it." */
  function othersNodes({ explanation, readings }: Explained): Child {
    const counted = countedProfiles(store.state.historic);
    const others = readings.filter(({ profile, allowed }) => counted.includes(profile) && allowed !== explanation.allowed);
    const profiles = texts.list(others.map(({ profile }) => profileName(profile, texts)));
    return texts.nodes(explanation.allowed ? "others_block" : "others_allow", { profiles });
  }

  function readingsDiffer(): boolean {
    const { explained, differs, question } = verdicts.results.state;
    if (!explained || !differs || !question) return false;
    return differs[explained.cell.url * question.crawlers.length + explained.cell.crawler] === 1;
  }

  function section(title: "whose_rules", ...children: Child[]): HTMLElement {
    return h("section", { class: "why-section" }, h("h3", {}, texts.t(title)), children);
  }

  const element = h(
    "section",
    { class: "panel why-panel", "data-part": "why", "aria-label": texts.t("views_why"), tabindex: -1 },
    content,
    foot,
  );
  app.onResults(["explained", "engine", "differs"], update);
  app.on(["closed", "fetched", "edited"], update);
  update();
  return element;
}

function markOf({ allowed, rule }: { allowed: boolean; rule: unknown }): "blocked" | "allowed" | "none" {
  if (!allowed) return "blocked";
  return rule ? "allowed" : "none";
}

/** Return the rules that match, or null without any. */
function ruleTable(explanation: Explanation, texts: Texts, goTo: (line: number) => void): HTMLElement | null {
  const all = [...(explanation.rule ? [explanation.rule] : []), ...explanation.alsoMatched];
  if (all.length === 0) return null;
  const rules = all.slice(0, MAX_RULES);
  return h(
    "div",
    { class: "rules" },
    h(
      "p",
      { class: "soft small compared" },
      texts.nodes("compared_with", { target: h("code", { translate: "no" }, wrapPath(explanation.target)) }),
    ),
    h(
      "ol",
      { class: "rule-list" },
      rules.map((rule) => ruleLine(rule, rule === explanation.rule, goTo, texts)),
    ),
    all.length > rules.length
      ? h("p", { class: "soft small" }, texts.t("compare_more_patterns", { count: all.length - rules.length }))
      : null,
    h("p", { class: "soft rules-unit" }, texts.t("length_in_octets")),
  );
}

function ruleLine(rule: MatchingRule, wins: boolean, goTo: (line: number) => void, texts: Texts): HTMLElement {
  const kind = rule.allow ? "allow" : "disallow";
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button",
        class: wins ? `rule wins ${kind}` : `rule ${kind}`,
        "data-line": rule.line,
        title: `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`,
        on: { click: () => goTo(rule.line) },
      },
      h("span", { class: "rule-line" }, rule.line),
      h("span", { class: "rule-key", translate: "no" }, rule.allow ? "Allow" : "Disallow"),
      h(
        "span",
        { class: "rule-path", translate: "no" },
        rule.path.map(({ text, matched }) => (matched ? h("mark", {}, text) : text)),
      ),
      h("span", { class: "rule-length" }, texts.number(rule.specificity)),
    ),
  );
}

/** What the registry knows about a crawler. */
function crawlerSection({ texts, verdicts }: App, token: string): HTMLElement {
  const { registry } = verdicts.results.state;
  const crawler = registry.find(token);
  const name = h("span", { translate: "no" }, token);
  const parts: Child[] = [];
  if (!crawler) {
    parts.push(texts.nodes("crawler_unlisted", { crawler: name }));
  } else {
    const { operator, obeys, source_kind: kind } = crawler;
    const key = `obeys_${obeys.replaceAll("-", "_") as "yes"}` as const;
    parts.push(texts.nodes("crawler_line", { operator, purpose: purposeTexts(crawler, texts) }), " ");
    if (registry.isControlToken(token)) parts.push(texts.nodes("crawler_token_only", { crawler: name, operator }), " ");
    parts.push(texts.nodes(kind === "operator" ? key : `${key}_third`, { operator }), " ");
    if (crawler.retired) parts.push(texts.t("crawler_retired"), " ");
    const link = (url: string, text: string): HTMLElement =>
      h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, text);
    if (crawler.address_list) parts.push(link(crawler.address_list, texts.t("verify_link")));
    else if (crawler.source.startsWith("https://")) parts.push(link(crawler.source, texts.t("source_link")));
  }
  return h("section", { class: "why-section" }, h("h3", {}, texts.t("the_crawler")), h("p", { class: "soft" }, parts));
}

/** Allow a path to wrap after slashes. */
function wrapPath(path: string): Child[] {
  return path.split(/(?<=[/?&=])/).flatMap((part, index) => (index === 0 ? [part] : [h("wbr"), part]));
}
