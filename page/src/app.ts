/** What every view is given. */

import type { Server } from "./server.js";
import type { AppStore, State } from "./state.js";
import type { Listener } from "./store.js";
import type { Texts } from "./texts.js";

export interface App {
  readonly store: AppStore;
  /** Listen to the store until the language changes, when head and views are made anew. */
  on(keys: readonly (keyof State)[], listener: Listener<State>): void;
  readonly texts: Texts;
  /** Null in a static site: what needs the server is then not offered. */
  readonly server: Server | null;
  /** Put a text into the polite live region, after a second without another one. Errors interrupt. */
  announce(text: string, urgency?: "polite" | "error"): void;
  /** Show a short message at the bottom of the page, and announce it. */
  toast(text: string): void;
}

/** A view is made when it is first shown, and again when the language changes. Its state is in the store. */
export interface View {
  readonly element: HTMLElement;
  /** Called whenever the view becomes visible. */
  show?(): void;
  /** Called before the view is dropped. */
  drop?(): void;
}

export type ViewFactory = (app: App) => View;
