/** The rows: to which of them the file applies, and how a row is shown. */

import { originOf, originOfFile } from "./engine/origin.js";
import type { TextKey, Texts } from "./texts.js";

export const MAX_URLS = 10_000;

/** A row as it is shown: path and query, or the whole text of another site's URL. */
export interface RowText {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/** Why a row has no verdicts. `other-scheme` is another scheme or port of the same host. */
export type RowOutcome = "other-host" | "other-scheme" | "invalid";

export const ROW_TEXTS = {
  "other-host": "row_other_host",
  "other-scheme": "row_other_scheme",
  invalid: "row_invalid",
} as const satisfies Record<RowOutcome, TextKey>;

/** The start of an absolute URL. */
export const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]+/i;

/** Return how a row is shown. The origin of the file is left out. */
export function rowText(text: string, address: string): RowText {
  const authority = ABSOLUTE.exec(text)?.[0];
  if (authority !== undefined && !isSameOrigin(text, address)) return { text, path: text, query: "" };
  const target = authority === undefined ? text : text.slice(authority.length) || "/";
  const clean = target.split("#")[0] ?? "";
  const at = clean.indexOf("?");
  return at < 0 ? { text, path: clean, query: "" } : { text, path: clean.slice(0, at), query: clean.slice(at) };
}

/** Return why the file does not apply to a URL or path, or null if it does. */
export function rowOutcome(entry: string, address: string): RowOutcome | null {
  if (!ABSOLUTE.test(entry)) return entry.startsWith("/") ? null : "invalid";
  if (isSameOrigin(entry, address)) return null;
  const [url, file] = [parsedUrl(entry, address), parsedUrl(address, address)];
  // Chromium escapes a space in a host instead of refusing it.
  if (url === null || url.hostname.includes("%")) return "invalid";
  return url.hostname === file?.hostname ? "other-scheme" : "other-host";
}

/** Return how many URLs have verdicts, and how many more have none. */
export function urlsText(texts: Texts, count: number, without: number): string {
  const urls = texts.t("urls_count", { count });
  return without > 0 ? texts.t("urls_without", { urls, count: without }) : urls;
}

/** The sitemaps that the file lists. Their addresses should be absolute, and are often paths. */
export function listedSitemaps(file: string, address: string): string[] {
  const listed = [...file.matchAll(/^\s*sitemap\s*:\s*(\S+)/gim)].flatMap(([, url = ""]) => parsedUrl(url, address) ?? []);
  return [...new Set(listed.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ href }) => href))];
}

function parsedUrl(url: string, base: string): URL | null {
  try {
    return new URL(url, base);
  } catch {
    return null;
  }
}

/** The engine compares with the origin of the file as well; without one, every host is accepted. */
function isSameOrigin(url: string, address: string): boolean {
  const file = originOfFile(address);
  return file === null || originOf(url, file.scheme) === file.origin;
}
