/** What each view receives. */

import type { Offer } from "./offline/offer.js";
import type { Answers, Server } from "./server.js";
import type { AppStore, State } from "./state.js";
import type { Listener } from "./store.js";
import type { Texts } from "./texts.js";
import type { Results, VerdictModel } from "./verdict-model.js";

export interface App {
  readonly store: AppStore;
  /** Listen to the store until the language changes. The head and the views are then created again. */
  on(keys: readonly (keyof State)[], listener: Listener<State>): void;
  /** The engine's answers about the file in the editor. */
  readonly verdicts: VerdictModel;
  onResults(keys: readonly (keyof Results)[], listener: Listener<Results>): void;
  readonly texts: Texts;
  /** What fetches. Null in a static site. */
  readonly server: Server | null;
  /** What answers without fetching: the server, or in a static site the linter once it is loaded. */
  readonly answers: Answers | null;
  /** What a static site shows in place of answers. */
  readonly offer: Offer | null;
  /** Put a text into the polite live region, after a second without another one. Errors interrupt. */
  announce(text: string, urgency?: "polite" | "error"): void;
  /** Copy a link that restores the page, and put it into the address bar. */
  copyLink(): void;
  /** Show a short message at the bottom of the page, and announce it. */
  toast(text: string): void;
}

/** A view is created when it is first shown, and again when the language changes. Its state is in the store. */
export interface View {
  readonly element: HTMLElement;
  /** Called whenever the view becomes visible. */
  show?(): void;
  /** Called before the view is dropped. */
  drop?(): void;
}

export type ViewFactory = (app: App) => View;
