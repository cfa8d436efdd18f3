/** Which lines of a pasted text become rows. */

import { originOf, originOfFile } from "./engine/origin.js";
import { ABSOLUTE, MAX_URLS, rowOutcome, type RowOutcome } from "./rows.js";

/** How one line of a pasted text is read. */
export interface PastedLine {
  readonly line: number;
  readonly text: string;
  readonly outcome: "row" | "no-scheme" | "blank" | "duplicate" | RowOutcome | "too-many";
  /** For a duplicate: the line that has the same URL. */
  readonly sameAs?: number;
}

/** A host and a path, as tools export URLs. A file name such as `index.html` has no path. */
const WITHOUT_SCHEME = /^(?:(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]*\p{L}[\p{L}\p{N}-]*|localhost|\d+(?:\.\d+){3})(?::\d+)?\//u;

/** Return how each line of a text is read. */
export function readPasted(text: string, address: string): PastedLine[] {
  const seen = new Map<string, number>();
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index): PastedLine => {
    const line = index + 1;
    const written = raw.trim();
    const isWithoutScheme = WITHOUT_SCHEME.test(written);
    const entry = isWithoutScheme ? `${originOfFile(address)?.scheme ?? "https"}://${written}` : written;
    if (entry === "") return { line, text: entry, outcome: "blank" };
    const key = comparedUrl(entry, address);
    const sameAs = seen.get(key);
    if (sameAs !== undefined) return { line, text: entry, outcome: "duplicate", sameAs };
    if (seen.size >= MAX_URLS) return { line, text: entry, outcome: "too-many" };
    seen.set(key, line);
    return { line, text: entry, outcome: rowOutcome(entry, address) ?? (isWithoutScheme ? "no-scheme" : "row") };
  });
}

/** Return the lines that become rows. Invalid lines and URLs of other hosts are rows with a problem. */
export function acceptedUrls(lines: readonly PastedLine[]): string[] {
  return lines
    .filter(({ outcome }) => outcome !== "blank" && outcome !== "duplicate" && outcome !== "too-many")
    .map(({ text }) => text);
}

/** Return a text that is equal for lines with the same origin, path and query. The fragment does not count. */
function comparedUrl(entry: string, address: string): string {
  const file = originOfFile(address);
  const authority = ABSOLUTE.exec(entry)?.[0];
  const origin = authority === undefined ? (file?.origin ?? "") : originOf(entry, file?.scheme);
  if (origin === null) return entry;
  const [target = ""] = entry.slice(authority?.length ?? 0).split("#");
  if (target.startsWith("/")) return origin + target;
  return authority === undefined ? entry : `${origin}/${target}`;
}
