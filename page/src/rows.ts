/** The list of URLs: which lines of a pasted text become rows, and how a row is shown. */

import { originOf, originOfFile } from "./engine/origin.js";

export const MAX_URLS = 10_000;

/** A row as it is shown: path and query, or the whole text of another site's URL. */
export interface RowText {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/** What becomes of one line of a pasted text. */
export interface PastedLine {
  readonly line: number;
  readonly text: string;
  readonly outcome: "row" | "blank" | "duplicate" | "other-host" | "invalid" | "too-many";
  /** For a duplicate: the line that has the same text. */
  readonly sameAs?: number;
}

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]+/i;

/** Return how a row is shown. The origin of the file is left out. */
export function rowText(text: string, address: string): RowText {
  const authority = ABSOLUTE.exec(text)?.[0];
  if (authority !== undefined && !isSameOrigin(text, address)) return { text, path: text, query: "" };
  const target = authority === undefined ? text : text.slice(authority.length) || "/";
  const clean = target.split("#")[0] ?? "";
  const at = clean.indexOf("?");
  return at < 0 ? { text, path: clean, query: "" } : { text, path: clean.slice(0, at), query: clean.slice(at) };
}

/** Say for each line of a text what becomes of it. */
export function readPasted(text: string, address: string): PastedLine[] {
  const seen = new Map<string, number>();
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index): PastedLine => {
    const line = index + 1;
    const entry = raw.trim();
    if (entry === "") return { line, text: entry, outcome: "blank" };
    const sameAs = seen.get(entry);
    if (sameAs !== undefined) return { line, text: entry, outcome: "duplicate", sameAs };
    if (seen.size >= MAX_URLS) return { line, text: entry, outcome: "too-many" };
    seen.set(entry, line);
    return { line, text: entry, outcome: problem(entry, address) ?? "row" };
  });
}

/** Return the lines that become rows. Those of other hosts and invalid ones are rows that say so. */
export function acceptedUrls(lines: readonly PastedLine[]): string[] {
  return lines
    .filter(({ outcome }) => outcome === "row" || outcome === "other-host" || outcome === "invalid")
    .map(({ text }) => text);
}

function problem(entry: string, address: string): "other-host" | "invalid" | null {
  if (ABSOLUTE.test(entry)) return isSameOrigin(entry, address) ? null : "other-host";
  return entry.startsWith("/") ? null : "invalid";
}

/** The engine compares with the origin of the file as well; without one, every host is accepted. */
function isSameOrigin(url: string, address: string): boolean {
  const file = originOfFile(address);
  return file === null || originOf(url, file.scheme) === file.origin;
}
