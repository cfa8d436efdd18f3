/** The answer for one cell in sentences: for the panel, as text, and as a command. */

import { purposeTexts, type Registry, STAR } from "../../crawlers.js";
import { type Child, h } from "../../dom.js";
import { missingText } from "../../fetched-text.js";
import { profileName } from "../../profiles.js";
import { shownAnswer, type State } from "../../state.js";
import type { Texts } from "../../texts.js";
import type { Explained } from "../../verdict-model.js";

/** A file can repeat a rule thousands of times. */
const MAX_LINES = 20;

export function answerText(explained: Explained, state: State, registry: Registry, texts: Texts): string {
  const { explanation, crawler, url, profile } = explained;
  const rules = [...(explanation.rule ? [explanation.rule] : []), ...explanation.alsoMatched];
  const plain = (nodes: Parameters<typeof h>[2]): string => h("span", {}, nodes).textContent;
  const missing = missingText(texts, state);
  if (missing !== null) return `${plain(verdictNodes(!state.closed, crawler, registry, texts))} ${url}\n${missing}`;
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

/**
 * Return a command with the same answer. While the answer of a site counts, the command fetches it by the same access
 * policy, and otherwise it reads the draft from robots.txt.
 */
export function commandText({ url, crawler, profile }: Explained, state: State): string {
  const { address, closed } = state;
  const answer = shownAnswer(state);
  // A link holds no answer.
  const fetched = answer?.robots_url ?? (closed ? address : null);
  const parts = ["canfetch", "explain", quote(url), "--agent", quote(crawler), "--robots", quote(fetched ?? "robots.txt")];
  if (fetched === null && !url.startsWith("/") && /^https?:\/\/[^/]+\/robots\.txt$/.test(address)) {
    parts.push("--robots-url", quote(address));
  }
  if (profile !== "rfc9309") parts.push(fetched === null ? "--profile" : "--edition", profile);
  // RFC 9309 has the policy of the server.
  else if (answer && answer.policy !== profile) parts.push("--policy", quote(answer.policy));
  return parts.join(" ");
}

/** Quote for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Return one or two sentences: which line decides, and why it wins. */
export function decisionNodes({ explanation, crawler, profile, starApplies }: Explained, texts: Texts): Child {
  const { rule, alsoMatched, reason } = explanation;
  switch (reason) {
    case "robots-txt":
      return texts.t("decides_robots_txt");
    case "no-group":
      return texts.nodes(starApplies ? "decides_no_group" : "decides_no_own_group", { crawler: name(crawler), star: star() });
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
    const listed = numbers.slice(0, MAX_LINES).map(String);
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

export function groupNodes({ explanation, crawler, starApplies }: Explained, texts: Texts): Child {
  const { choice, token, lines, ignoredStarLines } = explanation.group;
  const values = { crawler: name(crawler), ...lineValues(lines, texts) };
  const parts: Child[] = [];
  if (choice === "own-token") {
    parts.push(texts.nodes("group_named", values));
  } else if (choice === "fallback") {
    parts.push(texts.nodes("group_fallback", { ...values, fallback: name(token ?? "") }));
  } else if (choice === "star" && crawler === STAR) {
    parts.push(texts.nodes("group_every", values));
  } else if (choice === "star") {
    parts.push(texts.nodes("group_star", { ...values, star: star() }));
  } else {
    parts.push(texts.nodes(starApplies ? "group_none" : "group_none_own", { ...values, star: star() }));
  }
  if (ignoredStarLines.length > 0) {
    parts.push(" ", texts.nodes("star_ignored", { star: star(), ...lineValues(ignoredStarLines, texts) }));
  }
  return parts;
}

/** Return the values for a text about some lines, which has a form for one line and one for several. */
export function lineValues(lines: readonly number[], texts: Texts): { readonly line: string; readonly count: number } {
  return { line: texts.list(lines.map(String)), count: lines.length };
}

/** Return the element for a name that is not translated. */
export function name(token: string): HTMLElement {
  return h("span", { translate: "no" }, token);
}

export function star(): HTMLElement {
  return h("code", { translate: "no" }, "*");
}
