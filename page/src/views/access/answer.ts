/** The answer for one cell in sentences: for the panel, as text, and as a command. */

import { purposeTexts, type Registry, STAR } from "../../crawlers.js";
import { type Child, h } from "../../dom.js";
import { profileName } from "../../profiles.js";
import type { Texts } from "../../texts.js";
import type { Explained } from "../../verdict-model.js";

/** A file can repeat a rule thousands of times. */
const MAX_LINES = 20;

export function answerText(explained: Explained, registry: Registry, texts: Texts): string {
  const { explanation, crawler, url, profile } = explained;
  const rules = [...(explanation.rule ? [explanation.rule] : []), ...explanation.alsoMatched];
  const plain = (nodes: Parameters<typeof h>[2]): string => h("span", {}, nodes).textContent;
  return [
    `${plain(verdictNodes(explanation.allowed, crawler, registry, texts))} ${url}`,
    plain(decisionNodes(explained, texts)),
    ...rules.map(({ line, allow, pattern }) => `  ${line}  ${allow ? "Allow" : "Disallow"}: ${pattern}`),
    plain(groupNodes(explained, texts)),
    `${texts.t("read_as")} ${profileName(profile, texts)}`,
  ].join("\n");
}

/** Return what a crawler may do with the URL that follows. A control token fetches nothing. */
export function verdictNodes(allowed: boolean, token: string, registry: Registry, texts: Texts): Child {
  const crawler = name(token);
  const entry = registry.find(token);
  if (!entry || !registry.isControlToken(token)) return texts.nodes(allowed ? "may_fetch" : "may_not_fetch", { crawler });
  return texts.nodes(allowed ? "token_permits" : "token_denies", { crawler, uses: purposeTexts(entry, texts) });
}

export function commandText({ url, crawler, profile }: Explained, address: string): string {
  const parts = ["canfetch", "explain", quote(url), "--agent", quote(crawler), "--robots", "robots.txt"];
  if (!url.startsWith("/") && /^https?:\/\/[^/]+\/robots\.txt$/.test(address)) parts.push("--robots-url", quote(address));
  if (profile !== "rfc9309") parts.push("--profile", profile);
  return parts.join(" ");
}

/** Quote for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Return one or two sentences: which line decides, and why it wins. */
export function decisionNodes({ explanation, crawler, profile }: Explained, texts: Texts): Child {
  const { rule, alsoMatched, reason } = explanation;
  switch (reason) {
    case "robots-txt":
      return texts.t("decides_robots_txt");
    case "no-group":
      return texts.nodes("decides_no_group", { crawler: name(crawler), star: star() });
    case "no-match":
      return texts.t("decides_none");
    case "empty-rule":
      return texts.nodes("decides_empty_rule", { line: rule?.line ?? 0 });
    case "allow-rule":
    case "disallow-rule":
      break;
  }
  if (!rule) return texts.t("decides_none");
  const { line } = rule;
  const next = alsoMatched[0];
  if (!next) return texts.nodes("decides_alone", { line });
  if (isFirstMatch(profile)) return texts.nodes("decides_first", { line });
  if (next.specificity === rule.specificity) {
    const equal = [rule, ...alsoMatched].filter(({ specificity }) => specificity === rule.specificity);
    const numbers = equal.map(({ line: number }) => number).sort((a, b) => a - b);
    const listed = numbers.slice(0, MAX_LINES).map((number) => texts.number(number));
    const lines = texts.list(numbers.length > MAX_LINES ? [...listed, "…"] : listed);
    const agree = equal.every(({ allow }) => allow === rule.allow);
    return texts.nodes(agree ? "decides_twice" : "decides_tie", { lines });
  }
  return texts.nodes("decides_longest", { line, count: alsoMatched.length + 1 });
}

/** Readings in which the first rule that matches decides. */
export function isFirstMatch(profile: string): boolean {
  return ["draft1996", "original1994"].includes(profile);
}

export function groupNodes({ explanation, crawler }: Explained, texts: Texts): Child {
  const { choice, token, lines, ignoredStarLines } = explanation.group;
  const lineList = texts.list(lines.map((line) => texts.number(line)));
  const parts: Child[] = [];
  if (choice === "own-token") {
    parts.push(
      lines.length > 1
        ? texts.nodes("group_many", { lines: lineList, crawler: name(crawler) })
        : texts.nodes("group_one", { line: lineList, crawler: name(crawler) }),
    );
  } else if (choice === "fallback") {
    parts.push(texts.nodes("group_fallback", { crawler: name(crawler), fallback: name(token ?? ""), line: lineList }));
  } else if (choice === "star" && crawler === STAR) {
    parts.push(texts.nodes("group_every", { line: lineList }));
  } else if (choice === "star") {
    parts.push(texts.nodes("group_star", { crawler: name(crawler), star: star(), line: lineList }));
  } else {
    parts.push(texts.nodes("group_none", { crawler: name(crawler), star: star() }));
  }
  if (ignoredStarLines.length > 0) {
    const line = texts.list(ignoredStarLines.map((number) => texts.number(number)));
    parts.push(" ", texts.nodes("star_ignored", { star: star(), line }));
  }
  return parts;
}

/** Return the element for a name that is not translated. */
export function name(token: string): HTMLElement {
  return h("span", { translate: "no" }, token);
}

export function star(): HTMLElement {
  return h("code", { translate: "no" }, "*");
}
