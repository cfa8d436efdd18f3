/** What the other readings decide, grouped by outcome, each group with its cause. */

import type { App } from "../../app.js";
import { type Child, h } from "../../dom.js";
import { STAR } from "../../crawlers.js";
import { type Explanation, type FileInfo, LINE_KINDS, type Reading } from "../../engine/types.js";
import { limitText } from "../../fetched-text.js";
import { BLANK_ENDS_GROUP, countedProfiles, profileName } from "../../profiles.js";
import type { Texts } from "../../texts.js";
import { type Explained, outcome } from "../../verdict-model.js";
import { isFirstMatch, lineValues } from "./answer.js";

/** Operators that document how their own crawlers read. */
const KNOWN_READERS = new Set(["Google", "Microsoft", "Yandex"]);

interface Group {
  readonly allowed: boolean;
  readonly line: number | null;
  readonly profiles: string[];
}

export function otherReadings(app: App, explained: Explained): HTMLElement {
  const { texts, verdicts, store } = app;
  const { crawler, explanation } = explained;
  // The access policy of Yandex opens a site with such a file, whatever its lines are.
  const isTooLarge = (verdicts.results.state.info?.firstUnreadLine ?? null) !== null;
  const readings = explained.readings.filter(({ profile }) => !isTooLarge || profile !== "yandex");
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
    h("p", {}, summary(today, blocked, texts), isTooLarge ? ` ${texts.t("readings_without_yandex", { size: limitText(texts) })}` : null),
    h(
      "ul",
      { class: agree ? "readings" : "readings with-marks" },
      groups.map((group) => readingItem(group, explained, agree, counted, app)),
    ),
    agree || crawler === STAR || KNOWN_READERS.has(operator)
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
  { texts, store }: App,
): HTMLElement {
  const { explanation, others } = explained;
  const mark = allowed ? (line ? "allowed" : "none") : "blocked";
  const isOurs = allowed === explanation.allowed && line === (explanation.rule?.line ?? null);
  const isCounted = profiles.some((profile) => counted.includes(profile));
  const byCause = Map.groupBy(profiles, (profile) => {
    const other = others.get(profile);
    return other ? cause(other, explained, profile, store.state.file, texts) : "";
  });
  return h(
    "li",
    {},
    agree ? null : h("span", { class: `cell ${mark}`, "aria-hidden": "true" }),
    h(
      "span",
      { class: "reading-line" },
      line === null ? texts.t("reading_no_rule") : texts.nodes("views_line", { line }),
    ),
    h(
      "span",
      { class: "soft reading-names" },
      [...byCause].map(([why, names]) => `${names.map((profile) => profileName(profile, texts)).join(", ")}. ${why} `),
      !isOurs && (agree || !isCounted) ? alsoSame(allowed, explanation.allowed, texts) : null,
    ),
  );
}

function alsoSame(allowed: boolean, ours: boolean, texts: Texts): string {
  if (allowed === ours) return texts.t(allowed ? "reading_allowed_too" : "reading_blocked_too");
  return texts.t(allowed ? "reading_allowed" : "reading_blocked");
}

/** Why another reading decides differently, in one sentence. */
function cause(other: Explanation, explained: Explained, profile: string, file: string, texts: Texts): string {
  const { explanation, crawler, infos } = explained;
  const theirs = other.group;
  const ours = explanation.group;
  const [ourRule, theirRule] = [explanation.rule?.line ?? 0, other.rule?.line ?? 0];
  const isSameGroup = theirs.choice === ours.choice && String(theirs.lines) === String(ours.lines);
  const [ourSide, theirSide] = [
    { profile: explained.profile, group: ours, info: infos.get(explained.profile) },
    { profile, group: theirs, info: infos.get(profile) },
  ];
  if (!isRead(ourRule, theirSide, isSameGroup)) {
    const { isBlank, line } = boundary(ourRule, ourSide, theirSide, file);
    return texts.t(isBlank ? "cause_blank" : isAgent(line, theirSide) ? "cause_also_read" : "cause_unread", { line });
  }
  if (!isRead(theirRule, ourSide, isSameGroup)) {
    const { isBlank, line } = boundary(theirRule, theirSide, ourSide, file);
    return texts.t(isBlank ? "cause_no_blank" : isAgent(line, ourSide) ? "cause_unread" : "cause_also_read", { line });
  }
  if (isSameGroup && isFirstMatch(profile) && other.rule !== null) return texts.t("cause_first");
  if (isSameGroup) {
    const isLength = [explanation, other].every(({ rule, alsoMatched }) => rule !== null && alsoMatched.length > 0);
    return isLength ? texts.t("cause_lengths") : texts.t("cause_match", { line: ourRule || theirRule });
  }
  if (ours.choice === "own-token" && theirs.choice !== "own-token" && /[^A-Za-z_-]/.test(crawler)) {
    return plain(texts.nodes("cause_digits", lineValues(ours.lines, texts)));
  }
  if (theirs.choice === "none") return texts.t("cause_no_group");
  const key = theirs.choice === "star" ? "cause_star" : "cause_group";
  return plain(texts.nodes(key, { star: STAR, ...lineValues(theirs.lines, texts) }));
}

/** A reading, and the groups that it selects for the crawler. */
interface Side {
  readonly profile: string;
  readonly group: Explanation["group"];
  readonly info: FileInfo | undefined;
}

/**
 * Whether a reading reads a line as a rule of a group: one of those that it selects, or any. Line 0 means no rule, which
 * exists in every reading.
 */
function isRead(line: number, { group, info }: Side, isSelected: boolean): boolean {
  if (line === 0 || info === undefined) return true;
  const kind = LINE_KINDS[info.lineKinds[line - 1] ?? 0];
  const number = info.lineGroups[line - 1] ?? 0;
  const isOwn = !isSelected || group.lines.some((agent) => info.lineGroups[agent - 1] === number);
  return (kind === "allow" || kind === "disallow") && number > 0 && isOwn;
}

function isAgent(line: number, { info }: Side): boolean {
  return LINE_KINDS[info?.lineKinds[line - 1] ?? 0] === "user-agent";
}

/**
 * Return the line for which a rule that one reading applies is not part of these groups in another: a blank line that ends
 * the group, a user-agent line that only one of them reads, or the rule itself.
 */
function boundary(rule: number, wide: Side, narrow: Side, file: string): { readonly isBlank: boolean; readonly line: number } {
  const lines = file.split("\n");
  const endsAtBlank = BLANK_ENDS_GROUP.includes(narrow.profile) && !BLANK_ENDS_GROUP.includes(wide.profile);
  const number = wide.info?.lineGroups[rule - 1];
  const own = wide.group.lines.filter((agent) => agent < rule && wide.info?.lineGroups[agent - 1] === number);
  for (let line = own.at(-1) ?? rule; line < rule; line += 1) {
    if (endsAtBlank && (lines[line - 1] ?? "").trim() === "") return { isBlank: true, line };
    if (isAgent(line, wide) !== isAgent(line, narrow)) return { isBlank: false, line };
  }
  return { isBlank: false, line: rule };
}

function plain(nodes: Child): string {
  return h("span", {}, nodes).textContent;
}
