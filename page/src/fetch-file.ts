/** A fetch of a robots.txt: the request, and the state after it. */

import type { FetchedFile } from "./api-types.js";
import { fromContent, readBytes } from "./bytes.js";
import { edition } from "./profiles.js";
import type { Answers } from "./server.js";
import { type Fetched, type Loaded, loadedParts, ownQuestion, snapshot, type State } from "./state.js";

export interface RequestedFile {
  readonly loaded: Loaded;
  readonly fetched: Fetched;
}

/**
 * Fetch a file as the edition of a profile does. The site is asked, unless the server has stored a response that is at
 * least as recent as `shown`.
 */
export async function requestFile(
  server: Answers,
  { url, shown, profile }: { url: string; shown: FetchedFile | null; profile: string },
  signal: AbortSignal,
): Promise<RequestedFile> {
  const ask = (refresh: boolean): Promise<FetchedFile> =>
    server.post<FetchedFile>("fetch", { url, refresh, ...edition(profile) }, signal);
  let answer = await ask(shown === null);
  if (shown && Date.parse(answer.fetched_at ?? "") < Date.parse(shown.fetched_at ?? "")) answer = await ask(true);
  const { content, content_encoding } = answer;
  const { text, bytes } = readBytes(fromContent({ content: content ?? "", content_encoding }));
  return { loaded: { text, bytes, name: "" }, fetched: { ...answer, edition: profile } };
}

/**
 * Return the state after a file was fetched. `typed` is the path of the address that was typed, if it is not the file's;
 * it becomes the first row. Without a file, the editor is empty, and `replaced` holds the last draft.
 */
export function fetchedFile(
  state: State,
  { loaded, fetched, typed, addressBefore }: RequestedFile & { readonly typed: string | null; readonly addressBefore: string },
): Partial<State> {
  const closed = fetched.effect === "full-disallow";
  const isOtherSite = fetched.robots_url !== addressBefore && !state.ownUrls;
  const asked = isOtherSite ? { ...state, urls: [], typedUrls: 0 } : state;
  return {
    ...(closed ? closedQuestion(asked, typed) : ownQuestion(asked, typed)),
    ...loadedParts(loaded, "fetched"),
    address: fetched.robots_url,
    fetched,
    closed,
    replaced: snapshot({ ...state, address: addressBefore }),
  };
}

/**
 * Return the state after the file was fetched again for another edition. Its access policy can close or open the site, or
 * ignore the file.
 */
export function refetchedFile(state: State, { loaded, fetched }: RequestedFile): Partial<State> {
  const isClosed = fetched.effect === "full-disallow";
  if (loaded.text === state.file && isClosed === state.closed) return { fetched };
  const { replaced } = state;
  return { ...fetchedFile(state, { loaded, fetched, typed: null, addressBefore: state.address }), replaced };
}

/** Every URL of a site without an answer is blocked, so one is enough. */
function closedQuestion(state: State, typed: string | null): Partial<State> {
  const question = ownQuestion(state, typed);
  const urls = question.urls?.length ? question.urls : ["/"];
  return { ...question, urls, selected: question.selected ?? { url: 0, crawler: 0 } };
}

/** The transport refuses private addresses; its explanation starts with the kind of failure. */
export function isRefused({ status, explanation }: FetchedFile): boolean {
  return status === null && explanation.startsWith("forbidden-address");
}

/** The path and query of a page whose robots.txt is fetched, or null for the address of a site or of its robots.txt. */
export function typedPath(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return (pathname === "/" && search === "") || pathname === "/robots.txt" ? null : pathname + search;
}
