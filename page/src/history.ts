/**
 * The history of the browser: an entry for each view. Going back shows the view again, and keeps the draft. An entry also
 * holds where the file comes from, so that it is still known after the page is loaded again.
 */

import { type Provenance, VIEWS, type ViewName } from "./state.js";

interface Entry {
  readonly view: ViewName;
  /** The same for all entries about one link or visit. */
  readonly visit: string;
  /** Where the file of the address comes from, or null if only the address is known. */
  readonly provenance: Provenance | null;
}

export interface HistoryActions {
  show(view: ViewName): void;
  /** Restore the state of another link or visit. */
  open(hash: string, provenance: Provenance | null): void;
}

export class PageHistory {
  #visit = entryOf(history.state)?.visit ?? newVisit();
  #provenance = currentProvenance();
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
        this.#provenance = entry.provenance;
        actions.open(location.hash, entry.provenance);
      }
    });
    // The fragment may be replaced before the event arrives.
    addEventListener("hashchange", ({ newURL }) => {
      if (newURL === this.#reached) return;
      this.#visit = newVisit();
      this.#provenance = null;
      actions.open(new URL(newURL).hash, null);
    });
  }

  /** Write the address of the current entry, and where its file comes from. */
  write(view: ViewName, address: string, provenance: Provenance | null): void {
    this.#provenance = provenance;
    history.replaceState(this.#entry(view), "", address);
    this.#reached = "";
  }

  /** Write the view of the current entry. */
  writeView(view: ViewName): void {
    this.write(view, location.href, this.#provenance);
  }

  /** Add an entry, unless the current one has the view. */
  add(view: ViewName): void {
    if (entryOf(history.state)?.view === view) return;
    history.pushState(this.#entry(view), "", location.href);
  }

  #entry(view: ViewName): Entry {
    return { view, visit: this.#visit, provenance: this.#provenance };
  }
}

/** Return where the file of the current entry comes from, or null if it is not known. */
export function currentProvenance(): Provenance | null {
  return entryOf(history.state)?.provenance ?? null;
}

function newVisit(): string {
  return `${performance.timeOrigin + performance.now()}`;
}

function entryOf(state: unknown): Entry | null {
  if (typeof state !== "object" || state === null) return null;
  const { view, visit, provenance } = state as Record<string, unknown>;
  if (!VIEWS.includes(view as ViewName) || typeof visit !== "string") return null;
  return { view: view as ViewName, visit, provenance: (provenance ?? null) as Provenance | null };
}
