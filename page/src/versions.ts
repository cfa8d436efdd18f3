/** The verdicts before the last edit, and which of them it changed. */

import { MARKS, type Verdicts } from "./engine/types.js";
import type { State } from "./state.js";

/** Edits with a shorter pause between them are one. */
const PAUSE_MS = 1000;

type Asked = Pick<State, "file" | "bytes" | "loaded" | "urls" | "crawlers" | "profile">;

interface Version extends Asked {
  readonly matrix: Verdicts;
}

export class Versions {
  #before: Version | null = null;
  #current: Version | null = null;
  #editedAt = -Infinity;

  /** Take the newest verdicts. Returns 1 for each cell that the last edit, or the last file, changed. */
  changed(state: Asked, matrix: Verdicts, now = performance.now()): Uint8Array {
    const { file, bytes, loaded, urls, crawlers, profile } = state;
    const last = this.#current;
    if (last && (last.file !== file || last.bytes !== bytes)) {
      const isLoaded = last.loaded !== loaded;
      if (isLoaded || now - this.#editedAt > PAUSE_MS) this.#before = last;
      this.#editedAt = isLoaded ? -Infinity : now;
    }
    this.#current = { file, bytes, loaded, urls, crawlers, profile, matrix };
    return this.#before?.profile === profile ? changes(this.#before, this.#current) : new Uint8Array(matrix.marks.length);
  }
}

function changes(before: Version, after: Version): Uint8Array {
  const rows = new Map(before.urls.map((url, row) => [url, row]));
  const columns = new Map(before.crawlers.map((crawler, column) => [crawler, column]));
  const changed = new Uint8Array(after.matrix.marks.length);
  after.urls.forEach((url, row) => {
    const oldRow = rows.get(url);
    if (oldRow === undefined) return;
    after.crawlers.forEach((crawler, column) => {
      const oldColumn = columns.get(crawler);
      if (oldColumn === undefined) return;
      const at = row * after.crawlers.length + column;
      const [old, mark] = [before.matrix.marks[oldRow * before.crawlers.length + oldColumn], after.matrix.marks[at]];
      const isAnswered = old !== MARKS.unanswered && mark !== MARKS.unanswered;
      if (isAnswered && (old === MARKS.blocked) !== (mark === MARKS.blocked)) changed[at] = 1;
    });
  });
  return changed;
}
