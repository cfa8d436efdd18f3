/** The history of the browser: an entry for each view. Going back shows the view again, and keeps the draft. */

import { VIEWS, type ViewName } from "./state.js";

interface Entry {
  readonly view: ViewName;
  /** The same for all entries about one link or visit. */
  readonly visit: string;
}

export interface HistoryActions {
  show(view: ViewName): void;
  /** Restore the state of another link or visit. */
  open(hash: string): void;
}

export class PageHistory {
  #visit = entryOf(history.state)?.visit ?? newVisit();
  /** The address that the last step back or forward led to. */
  #reached = "";

  constructor(actions: HistoryActions) {
    addEventListener("popstate", ({ state }) => {
      const entry = entryOf(state);
      // An address that was typed has no state.
      if (entry === null) return;
      this.#reached = location.href;
      if (entry.visit === this.#visit) {
        actions.show(entry.view);
      } else {
        this.#visit = entry.visit;
        actions.open(location.hash);
      }
    });
    // The fragment may be replaced before the event arrives.
    addEventListener("hashchange", ({ newURL }) => {
      if (newURL === this.#reached) return;
      this.#visit = newVisit();
      actions.open(new URL(newURL).hash);
    });
  }

  /** Write the address of the current entry. */
  write(view: ViewName, address = location.href): void {
    this.#reached = "";
    history.replaceState({ view, visit: this.#visit } satisfies Entry, "", address);
  }

  /** Add an entry, unless the current one has the view. */
  add(view: ViewName): void {
    if (entryOf(history.state)?.view === view) return;
    history.pushState({ view, visit: this.#visit } satisfies Entry, "", location.href);
  }
}

function newVisit(): string {
  return `${performance.timeOrigin + performance.now()}`;
}

function entryOf(state: unknown): Entry | null {
  if (typeof state !== "object" || state === null) return null;
  const { view, visit } = state as Record<string, unknown>;
  return VIEWS.includes(view as ViewName) && typeof visit === "string" ? { view: view as ViewName, visit } : null;
}
