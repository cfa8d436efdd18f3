/** Everything that the views share. A view keeps what only it needs. */

import type { FetchedFile } from "./api-types.js";
import { bytesOfText, isInvalidUtf16 } from "./bytes.js";
import { MAIN_CRAWLERS } from "./crawlers.js";
import { EXAMPLE } from "./example.js";
import { Store } from "./store.js";
import type { Language } from "./texts.js";
import { NO_FILTER, type RowFilter } from "./views/access/row-filter.js";
import { type CompareViewState, INITIAL_COMPARE } from "./views/compare/state.js";
import { EMPTY_RULES, INITIAL_RULES, type RulesViewState } from "./views/rules/state.js";
import { INITIAL_USAGE, type UsageViewState } from "./views/usage/state.js";

export const VIEWS = ["access", "usage", "rules", "compare"] as const;
export type ViewName = (typeof VIEWS)[number];

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Where the file in the editor comes from. */
export type Source = "example" | "shared" | "fetched" | "opened" | "pasted";

export interface Cell {
  /** Index into `urls`. */
  readonly url: number;
  /** Index into `crawlers`. */
  readonly crawler: number;
}

/** The answer to a fetch, and the edition that it was requested for: its access policy can ignore a file. */
export type Fetched = FetchedFile & { readonly edition: string };

export interface Loaded {
  /** Lines end in LF. */
  readonly text: string;
  readonly bytes: Uint8Array | null;
  readonly name: string;
}

/**
 * Where the file in the editor comes from, and with which file it is compared. Links do not hold it; the entries of the
 * browser's history do.
 */
export type Provenance = Readonly<Pick<State, "source" | "loaded" | "edited" | "fetched" | "compare">>;

/** The file in the editor, where it comes from, and what is asked about it. */
export type Replaced = Readonly<Pick<State, (typeof REPLACED)[number]>>;

const REPLACED = [
  "address",
  "source",
  "loaded",
  "edited",
  "file",
  "bytes",
  "fetched",
  "closed",
  "urls",
  "ownUrls",
  "typedUrls",
  "crawlers",
  "ownCrawlers",
  "selected",
  "rules",
  "replaced",
  "undone",
] as const;

export interface State {
  view: ViewName;
  language: Language;
  theme: Theme;
  /** Single keys such as `?` and `1` work outside text fields. */
  singleKeys: boolean;

  /** The address of the robots.txt, as typed. */
  address: string;
  source: Source;
  /** The file as it was loaded, and the name of an opened file. Compare starts from it. */
  loaded: Loaded;
  /** The file was changed after it was loaded. */
  edited: boolean;
  /** The draft in the editor, as `bytes.ts` decodes a file. */
  file: string;
  /** The bytes of the draft, if UTF-8 of `file` is something else: a file that was read, or a draft with invalid UTF-8. */
  bytes: Uint8Array | null;
  /** The last answer to a fetch, or null. */
  fetched: Fetched | null;
  /** The last fetch found no file because the server did not answer, so everything is blocked until an edit. */
  closed: boolean;
  /** What the last fetch or opened file replaced, so that the page can go back to it. */
  replaced: Replaced | null;
  /** What the last undo replaced, so that redo goes forward to it. */
  undone: Replaced | null;

  /** Absolute URLs or paths, one for each row. */
  urls: readonly string[];
  /** The user listed the rows. Otherwise the page chose them for the file, apart from `typedUrls`. */
  ownUrls: boolean;
  /** The number of first rows that were typed as an address to fetch. */
  typedUrls: number;
  /** Product tokens, one for each column. */
  crawlers: readonly string[];
  /** The user chose the columns. */
  ownCrawlers: boolean;
  /** The name of the profile. */
  profile: string;
  /** The readings of 1994 and 1996 count as differences. */
  historic: boolean;
  onlyDiffering: boolean;
  filter: RowFilter;
  /** The matrix is shown as a plain table. */
  asList: boolean;
  selected: Cell | null;

  usage: UsageViewState;
  rules: RulesViewState;
  compare: CompareViewState;
}

export type AppStore = Store<State>;

/** How the draft is changed. An undo can be a redo, and a paste replaces all of the draft. */
export type EditKind = "edit" | "undo" | "paste";

/**
 * Return the state after the draft was edited: invalid UTF-16 is not, because its bytes would be lost. To undo a fetch is
 * to go back to the draft, its address and its status, and to redo it is to return. A paste is another file, but over a
 * fetched file it is an edit, so that Compare still starts from the fetched file.
 */
export function editedDraft(state: State, file: string, kind: EditKind): Partial<State> {
  if (isInvalidUtf16(state.bytes)) return {};
  const bytes = bytesOfText(file);
  if (kind === "undo" && file !== state.loaded.text) {
    const before = otherFile(state.replaced, state.file);
    if (before?.file === file) return { ...before, undone: snapshot(state) };
    if (state.undone?.file === file) return state.undone;
  }
  const isEditOfFetched = state.source === "fetched" && state.loaded.text !== "";
  if (kind === "paste" && file.trim() !== "" && !isEditOfFetched) return loadedFile(state, { text: file, bytes, name: "" }, "pasted");
  // A text that replaces all of the file has its own columns, and more rows: Compare needs the others. They are chosen for
  // each `loaded`.
  const question = { ...ownQuestion(state), urls: state.urls, loaded: { ...state.loaded } };
  const other = kind === "paste" && isEditOfFetched ? question : {};
  return { ...other, file, bytes, edited: true, closed: false, undone: kind === "undo" ? state.undone : null };
}

/** Return the last draft before the file of the state, for a fetch that found none. */
export function lastDraft({ replaced }: Pick<State, "replaced">): Replaced | null {
  return replaced && missingFile(replaced) ? lastDraft(replaced) : replaced;
}

/** Return the state that goes back to an earlier draft. It can be undone, too. */
export function restoredDraft(state: State, draft: Replaced): Partial<State> {
  return { ...draft, replaced: snapshot(state), undone: null };
}

/** Return the last state with another text, which is where the editor goes back to. */
function otherFile(replaced: Replaced | null, file: string): Replaced | null {
  return replaced?.file === file ? otherFile(replaced.replaced, file) : replaced;
}

/** Return the state after a file was opened or pasted. It is not that of the example's address. */
export function loadedFile(state: State, loaded: Loaded, source: "opened" | "pasted"): Partial<State> {
  const address = state.address === EXAMPLE.address && !state.ownUrls ? "" : state.address;
  return { ...ownQuestion(state), ...loadedParts(loaded, source), address, fetched: null, replaced: snapshot(state) };
}

export function provenance({ source, loaded, edited, fetched, compare }: State): Provenance {
  return { source, loaded, edited, fetched, compare };
}

/** Return the answer to a fetch that found no file, until a draft counts instead of it. */
export function missingFile(state: Pick<State, "source" | "edited" | "fetched">): Fetched | null {
  const answer = shownAnswer(state);
  return answer?.content === null ? answer : null;
}

/** Whether the access policy blocks or allows every URL, so that no line decides. A link holds no answer. */
export function isDecidedByPolicy(state: Pick<State, "source" | "edited" | "fetched" | "closed">): boolean {
  return state.closed || missingFile(state) !== null;
}

/** Return the answer to the last fetch, unless a draft counts instead of it. */
export function shownAnswer({ source, edited, fetched }: Pick<State, "source" | "edited" | "fetched">): Fetched | null {
  return source === "fetched" && !edited ? fetched : null;
}

export function loadedParts(loaded: Loaded, source: Source): Partial<State> {
  return { file: loaded.text, bytes: loaded.bytes, source, loaded, edited: false, closed: false, undone: null };
}

/** Return the rows and columns for another file: those of the user, which `suggestions.ts` completes. */
export function ownQuestion(state: State, typed: string | null = null): Partial<State> {
  const { ownUrls, ownCrawlers, selected } = state;
  const kept = ownUrls ? state.urls : state.urls.slice(0, state.typedUrls);
  const urls = typed === null || kept.includes(typed) ? kept : [typed, ...kept];
  const shift = urls.length - kept.length;
  return {
    urls,
    typedUrls: ownUrls ? 0 : urls.length,
    crawlers: ownCrawlers ? state.crawlers : MAIN_CRAWLERS,
    // The page of the example goes, too.
    rules: state.rules === INITIAL_RULES ? EMPTY_RULES : state.rules,
    selected: ownUrls && ownCrawlers && selected ? { ...selected, url: selected.url + shift } : null,
  };
}

export function snapshot(state: State): Replaced {
  return Object.fromEntries(REPLACED.map((key) => [key, state[key]])) as unknown as Replaced;
}

/** Return the state of the first visit. */
export function initialState(language: Language): State {
  return {
    view: "access",
    language,
    theme: "system",
    singleKeys: true,
    address: EXAMPLE.address,
    source: "example",
    loaded: { text: EXAMPLE.file, bytes: null, name: "" },
    edited: false,
    file: EXAMPLE.file,
    bytes: null,
    fetched: null,
    closed: false,
    replaced: null,
    undone: null,
    urls: EXAMPLE.urls,
    ownUrls: false,
    typedUrls: 0,
    crawlers: EXAMPLE.crawlers,
    ownCrawlers: false,
    profile: "rfc9309",
    historic: false,
    onlyDiffering: false,
    filter: NO_FILTER,
    asList: false,
    selected: EXAMPLE.selected,
    usage: INITIAL_USAGE,
    rules: INITIAL_RULES,
    compare: INITIAL_COMPARE,
  };
}
