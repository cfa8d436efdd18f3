/** What the Compare view remembers while others are shown. */

export type BeforeSource = "loaded" | "live" | "pasted" | "opened";

export interface CompareViewState {
  readonly source: BeforeSource;
  /** The file that the draft is compared with, unless the source is `loaded`. */
  readonly before: string;
  /** Its bytes in Base64, if it was opened or fetched. */
  readonly encoded: string | null;
  /** The name of the opened file, or the address of the live one. */
  readonly name: string;
  readonly url: string | null;
  readonly crawler: string | null;
}

export const INITIAL_COMPARE: CompareViewState = { source: "loaded", before: "", encoded: null, name: "", url: null, crawler: null };
