/** The link: the state as deflated JSON in the fragment, which browsers do not send. */

import { bytesOfText, encodeText, fromBinary, readBytes, toBinary, toLf } from "./bytes.js";
import { isProductToken } from "./crawlers.js";
import { MAX_URLS } from "./rows.js";
import { type Cell, type State, type ViewName, VIEWS } from "./state.js";
import { isFiltering, NO_FILTER, ROW_KINDS, type RowFilter } from "./views/access/row-filter.js";
import { linkedView, restoredView, type ViewStates } from "./views/view-link.js";

const VERSION = "#v1.";
/** Longer links break in mail programs and chats. */
export const MAX_LINK_CHARACTERS = 32_000;
const MAX_INFLATED_BYTES = 1024 * 1024;
const MAX_CRAWLERS = 500;

type SharedKey =
  | "file"
  | "bytes"
  | "urls"
  | "ownUrls"
  | "typedUrls"
  | "crawlers"
  | "ownCrawlers"
  | "profile"
  | "selected"
  | "view"
  | "address"
  | "filter"
  | "onlyDiffering"
  | "asList"
  | "historic"
  | "closed";
export type Shared = Pick<State, SharedKey> & ViewStates;
export type LinkProblem = "damaged" | "newer" | "too-large";

/** Raised for a link that cannot be opened. */
export class InvalidLink extends Error {
  constructor(readonly problem: LinkProblem) {
    super(problem);
  }
}

/** Return the fragment that restores a state, or null if it would be too long. */
export async function toFragment(state: State): Promise<string | null> {
  const { file: r, urls: u, crawlers: a, profile: p, selected, view: w, address: o, ownUrls, ownCrawlers, typedUrls } = state;
  const s = selected ? [selected.url, selected.crawler] : null;
  const { filter, onlyDiffering, asList, historic, closed } = state;
  const f = isFiltering(filter) ? [filter.text, filter.kind, filter.line, filter.crawler] : undefined;
  const m = [onlyDiffering, asList, historic, closed].map(Number);
  const n = [Number(ownUrls), Number(ownCrawlers), typedUrls];
  const json = new TextEncoder().encode(JSON.stringify({ r, b: linkedBytes(state), u, a, p, s, w, o, n, f, m, v: linkedView(state) }));
  const deflated = await collect(stream(json).pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  const fragment = VERSION + toBase64Url(deflated);
  return fragment.length > MAX_LINK_CHARACTERS ? null : fragment;
}

/**
 * Return the state of a fragment, or null if the fragment holds none.
 *
 * Raises InvalidLink if it is damaged, of another version, or unpacks to more than 1 MB.
 */
export async function fromFragment(fragment: string): Promise<Partial<Shared> | null> {
  if (!/^#v\d+\./.test(fragment)) return null;
  if (!fragment.startsWith(VERSION)) throw new InvalidLink("newer");
  let json: unknown;
  try {
    const deflated = fromBase64Url(fragment.slice(VERSION.length));
    const inflated = stream(deflated).pipeThrough(new DecompressionStream("deflate-raw"));
    const bytes = await collect(inflated, MAX_INFLATED_BYTES);
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw error instanceof InvalidLink ? error : new InvalidLink("damaged");
  }
  return checked(json);
}

function checked(json: unknown): Partial<Shared> {
  if (typeof json !== "object" || json === null) throw new InvalidLink("damaged");
  const { r, b, u, a, p, s, w, o, n, f, m, v } = json as Record<string, unknown>;
  if (typeof r !== "string" || !(b === undefined || (typeof b === "string" && !/[^\0-\xff]/.test(b))) || !isTexts(u, MAX_URLS) || !isTexts(a, MAX_CRAWLERS) || !a.every(isProductToken)) throw new InvalidLink("damaged");
  return {
    ...linkedFile(r, b),
    urls: u,
    crawlers: a,
    ...toOwn(n),
    filter: toFilter(f),
    ...toModes(m),
    ...(typeof p === "string" ? { profile: p } : {}),
    ...(typeof o === "string" ? { address: o } : {}),
    ...(VIEWS.includes(w as ViewName) ? { view: w as ViewName } : {}),
    selected: toCell(s, u.length, a.length),
    ...restoredView(w, v),
  };
}

/** Return the bytes of the draft, one character for each, if its text does not restore them. */
function linkedBytes({ file, bytes }: Pick<State, "file" | "bytes">): string | undefined {
  if (bytes === null) return undefined;
  const restored = encodeText(file);
  const isSame = restored.length === bytes.length && restored.every((byte, at) => byte === bytes[at]);
  return isSame ? undefined : toBinary(bytes);
}

function linkedFile(text: string, binary: string | undefined): Pick<State, "file" | "bytes"> {
  const file = toLf(text);
  if (binary === undefined) return { file, bytes: bytesOfText(file) };
  const bytes = fromBinary(binary);
  return { file: readBytes(bytes).text, bytes };
}

/** Return whose the rows and columns are: those of older links are the user's. */
function toOwn(value: unknown): Pick<Shared, "ownUrls" | "ownCrawlers" | "typedUrls"> {
  const [urls, crawlers, typed] = Array.isArray(value) ? (value as unknown[]) : [1, 1, 0];
  return { ownUrls: urls !== 0, ownCrawlers: crawlers !== 0, typedUrls: Number.isInteger(typed) ? Number(typed) : 0 };
}

function toFilter(value: unknown): RowFilter {
  if (!Array.isArray(value)) return NO_FILTER;
  const [text, kind, line, crawler] = value as unknown[];
  return {
    text: typeof text === "string" ? text : "",
    kind: ROW_KINDS.find((known) => known === kind) ?? "all",
    line: Number.isInteger(line) ? Math.max(0, Number(line)) : 0,
    crawler: typeof crawler === "string" ? crawler : "",
  };
}

function toModes(value: unknown): Pick<Shared, "onlyDiffering" | "asList" | "historic" | "closed"> {
  const [only, list, historic, closed] = Array.isArray(value) ? (value as unknown[]) : [];
  return { onlyDiffering: only === 1, asList: list === 1, historic: historic === 1, closed: closed === 1 };
}

function toCell(value: unknown, urls: number, crawlers: number): Cell | null {
  if (!Array.isArray(value)) return null;
  const [url, crawler] = value as unknown[];
  const isIndex = (index: unknown, end: number): index is number =>
    typeof index === "number" && Number.isInteger(index) && index >= 0 && index < end;
  return isIndex(url, urls) && isIndex(crawler, crawlers) ? { url, crawler } : null;
}

function isTexts(value: unknown, limit: number): value is string[] {
  return Array.isArray(value) && value.length <= limit && value.every((item) => typeof item === "string");
}

function stream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream();
}

async function collect(source: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = source.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      void reader.cancel();
      throw new InvalidLink("too-large");
    }
    chunks.push(value);
  }
  const result = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    result.set(chunk, at);
    at += chunk.length;
  }
  return result;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(toBinary(bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
