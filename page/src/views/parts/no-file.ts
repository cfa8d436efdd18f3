/** Shown where a file would be: why there is none, and which verdict applies now. */

import type { App } from "../../app.js";
import { h } from "../../dom.js";
import { missingText } from "../../fetched-text.js";

/** Return a note, or null if there is a file. */
export function noFileNote({ texts, store }: App): HTMLElement | null {
  const text = missingText(texts, store.state);
  return text === null ? null : h("p", { class: "note warning", "data-state": "empty", "data-result": "no-file" }, text);
}
