/** Everything that the views share. A view keeps what only it needs. */

import type { FetchedFile } from "./api-types.js";
import { bytesOfText } from "./bytes.js";
import { EXAMPLE } from "./example.js";
import { Store } from "./store.js";
import type { Language } from "./texts.js";
import { type CompareViewState, INITIAL_COMPARE } from "./views/compare/state.js";
import { INITIAL_RULES, type RulesViewState } from "./views/rules/state.js";
import { INITIAL_USAGE, type UsageViewState } from "./views/usage/state.js";

export const VIEWS = ["access", "usage", "rules", "compare"] as const;
export type ViewName = (typeof VIEWS)[number];

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Where the file in the editor comes from. */
export type Source = "example" | "shared" | "fetched" | "opened";

export interface Cell {
  /** Index into `urls`. */
  readonly url: number;
  /** Index into `crawlers`. */
  readonly crawler: number;
}

export interface Loaded {
  /** Lines end in LF. */
  readonly text: string;
  readonly bytes: Uint8Array | null;
  readonly name: string;
}

/** The file in the editor and where it comes from. */
export type Replaced = Readonly<
  Pick<State, "address" | "source" | "loaded" | "edited" | "file" | "bytes" | "fetched" | "closed">
>;

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
  fetched: FetchedFile | null;
  /**
   * The last fetch found no file because the server did not answer, so everything is blocked. The draft stays in the
   * editor, and counts again after the first edit.
   */
  closed: boolean;
  /** What the last fetch or opened file replaced, so that the page can go back to it. */
  replaced: Replaced | null;

  /** Absolute URLs or paths, one for each row. */
  urls: readonly string[];
  /** Product tokens, one for each column. */
  crawlers: readonly string[];
  /** The name of the profile. */
  profile: string;
  /** The readings of 1994 and 1996 count as differences. */
  historic: boolean;
  onlyDiffering: boolean;
  /** The matrix is shown as a plain table. */
  asList: boolean;
  selected: Cell | null;

  usage: UsageViewState;
  rules: RulesViewState;
  compare: CompareViewState;
}

export type AppStore = Store<State>;

/** Return the state after the draft was edited. To undo a fetch is to go back to the draft, its address and its status. */
export function editedDraft({ replaced }: State, file: string, isUndo: boolean): Partial<State> {
  if (isUndo && replaced?.file === file) return { ...replaced, replaced: null };
  return { file, bytes: bytesOfText(file), edited: true, closed: false };
}

/** Return what a fetch or an opened file replaces. */
export function replacedBy({ address, source, loaded, edited, file, bytes, fetched, closed }: State): Replaced {
  return { address, source, loaded, edited, file, bytes, fetched, closed };
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
    urls: EXAMPLE.urls,
    crawlers: EXAMPLE.crawlers,
    profile: "rfc9309",
    historic: false,
    onlyDiffering: false,
    asList: false,
    selected: EXAMPLE.selected,
    usage: INITIAL_USAGE,
    rules: INITIAL_RULES,
    compare: INITIAL_COMPARE,
  };
}
