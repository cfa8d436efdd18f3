/** Parts of the page that are loaded when they are first used. */

import type { App } from "./app.js";

/** Use a part once it is loaded, or report that it could not be loaded. */
export async function onDemand<Part>({ texts, toast }: App, loading: Promise<Part>, use: (part: Part) => unknown): Promise<void> {
  try {
    await texts.complete();
    await use(await loading);
  } catch (error) {
    console.error(error);
    toast(texts.t("view_failed"));
  }
}

let isOpening = false;

/** Open a dialog once it is loaded. While another one is loaded or open, as after a double click, this does nothing. */
export async function openDialog<Part>(app: App, loading: Promise<Part>, open: (part: Part) => unknown): Promise<void> {
  if (isOpening || document.querySelector("dialog[open]")) return;
  isOpening = true;
  await onDemand(app, loading, open);
  isOpening = false;
}

const PREFETCH_DELAY_MS = 1000;

/** Load parts when the page has had time for what is in sight. A part that fails is loaded again when it is used. */
export function prefetch(parts: readonly (() => Promise<unknown>)[], delay = PREFETCH_DELAY_MS): void {
  setTimeout(() => {
    for (const load of parts) load().catch(() => {});
  }, delay);
}
