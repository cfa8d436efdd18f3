/** Single keys outside text fields: `?`, `/`, and `1` to `4`. They can be turned off. */

import type { App } from "./app.js";
import { openDialog } from "./on-demand.js";
import { VIEWS } from "./state.js";

export function pageKeys(app: () => App): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { store } = app();
    if (!store.state.singleKeys || isText(event) || document.querySelector("dialog[open]")) return;
    const view = VIEWS[Number(event.key) - 1];
    if (event.key === "?") void openDialog(app(), import("./keys-dialog.js"), ({ showKeys }) => showKeys(app()));
    else if (event.key === "/") document.querySelector<HTMLInputElement>(".address")?.select();
    else if (view) store.set({ view });
    else return;
    event.preventDefault();
  });
}

/** Whether the key is typed into a text, such as the editor in its shadow root. */
function isText(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
