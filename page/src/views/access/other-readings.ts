/** What the other readings decide, grouped by outcome, each group with its cause. */

import type { App } from "../../app.js";
import { type Child, h } from "../../dom.js";
import type { Explanation, Reading } from "../../engine/types.js";
import { countedProfiles, profileName, TODAY } from "../../profiles.js";
import type { Texts } from "../../texts.js";
import { type Explained, outcome } from "../../verdict-model.js";
import { isFirstMatch, star } from "./answer.js";

/** Operators that document how their own crawlers read. */
const KNOWN_READERS = new Set(["Google", "Microsoft", "Yandex"]);

interface Group {
  readonly allowed: boolean;
  readonly line: number | null;
  readonly profiles: string[];
}

export function otherReadings({ texts, verdicts, store }: App, explained: Explained): HTMLElement {
  const { readings, crawler, explanation } = explained;
  const counted = countedProfiles(store.state.historic);
  const today = readings.filter(({ profile }) => counted.includes(profile));
  const blocked = today.filter(({ allowed }) => !allowed).length;
  const agree = blocked === 0 || blocked === today.length;
  const groups = grouped(readings);
  // The verdict of the chosen reading comes first.
  groups.sort((a, b) => Number(b.allowed === explanation.allowed) - Number(a.allowed === explanation.allowed));
  const operator = verdicts.results.state.registry.find(crawler)?.operator ?? "";
  return h(
    "section",
    { class: "why-section", "data-readings": agree ? "agree" : "differ" },
    h("h3", {}, texts.t("other_readings")),
    h("p", {}, summary(today, blocked, texts)),
    h(
      "ul",
      { class: agree ? "readings" : "readings with-marks" },
      groups.map((group) => readingItem(group, explained, agree, counted, texts)),
    ),
    agree || KNOWN_READERS.has(operator)
      ? null
      : h("p", { class: "note warning" }, texts.nodes("advice_unknown", { crawler: h("span", { translate: "no" }, crawler) })),
  );
}

function summary(today: readonly Reading[], blocked: number, texts: Texts): string {
  const total = today.length;
  if (blocked === 0) return texts.t("all_allow", { count: total });
  if (blocked < total) return texts.t("some_block", { blocked, total, allowed: total - blocked });
  const sameLine = new Set(today.map(({ line }) => line)).size === 1;
  return texts.t(sameLine ? "all_block_same" : "all_block", { count: total });
}

function grouped(readings: readonly Reading[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { profile, allowed, line } of readings) {
    const key = outcome(allowed, line);
    const group = groups.get(key) ?? { allowed, line, profiles: [] };
    group.profiles.push(profile);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function readingItem(
  { allowed, line, profiles }: Group,
  explained: Explained,
  agree: boolean,
  counted: readonly string[],
  texts: Texts,
): HTMLElement {
  const { explanation, others } = explained;
  const mark = allowed ? (line ? "allowed" : "none") : "blocked";
  const isOurs = allowed === explanation.allowed && line === (explanation.rule?.line ?? null);
  const other = profiles.map((profile) => others.get(profile)).find(Boolean);
  const isCounted = profiles.some((profile) => counted.includes(profile) || TODAY.includes(profile as "bing"));
  const sentences: Child[] = [];
  if (!isOurs && other) sentences.push(" ", cause(other, explained, profiles[0] ?? "", texts));
  if (!isOurs && (agree || !isCounted)) sentences.push(" ", alsoSame(allowed, explanation.allowed, texts));
  return h(
    "li",
    {},
    agree ? null : h("span", { class: `cell ${mark}`, "aria-hidden": "true" }),
    h(
      "span",
      { class: "reading-line" },
      line === null ? texts.t("reading_no_rule") : texts.nodes("reading_line", { line }),
    ),
    h(
      "span",
      { class: "soft reading-names" },
      profiles.map((profile) => profileName(profile, texts)).join(", "),
      ". ",
      sentences,
    ),
  );
}

function alsoSame(allowed: boolean, ours: boolean, texts: Texts): string {
  if (allowed === ours) return texts.t(allowed ? "reading_allowed_too" : "reading_blocked_too");
  return texts.t(allowed ? "reading_allowed" : "reading_blocked");
}

/** Why another reading decides differently, in one sentence. */
function cause(other: Explanation, { explanation, crawler }: Explained, profile: string, texts: Texts): Child {
  const theirs = other.group;
  const ours = explanation.group;
  const isSameGroup = theirs.choice === ours.choice && String(theirs.lines) === String(ours.lines);
  if (isSameGroup) return texts.t(isFirstMatch(profile) && other.rule !== null ? "cause_first" : "cause_rules");
  const ourLine = texts.list(ours.lines.map((line) => texts.number(line)));
  if (ours.choice === "own-token" && theirs.choice !== "own-token" && /[^A-Za-z_-]/.test(crawler)) {
    return texts.nodes("cause_digits", { line: ourLine });
  }
  const line = texts.list(theirs.lines.map((number) => texts.number(number)));
  if (theirs.choice === "star") return texts.nodes("cause_star", { star: star(), line });
  if (theirs.choice === "none") return texts.t("cause_no_group");
  return texts.nodes("cause_group", { line });
}
