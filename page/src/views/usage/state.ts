/** What the Usage view remembers while others are shown. */

import type { UsagePurpose } from "../../api-types.js";

export interface UsageViewState {
  /** The URL or path whose uses are shown. */
  readonly target: string;
  readonly crawler: string | null;
  readonly column: UsagePurpose | "fetch";
  /** The head of the page's response, for TDMRep. */
  readonly headers: string;
  /** The origin's tdmrep.json. */
  readonly tdmFile: string;
}

export const INITIAL_USAGE: UsageViewState = {
  target: "/",
  crawler: null,
  column: "training",
  headers: "",
  tdmFile: "",
};
