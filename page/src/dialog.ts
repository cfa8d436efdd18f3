/** Modal dialogs with a title, a body and buttons at the bottom. */

import { type Child, h, icon } from "./dom.js";
import { ICONS } from "./icons.js";
import type { Texts } from "./texts.js";

export interface DialogParts {
  readonly title: string;
  readonly name: string;
  readonly body: Child;
  readonly foot?: Child;
}

let count = 0;

/** Show a dialog. It is removed when it closes, and the focus returns to where it was. */
export function showDialog({ title, name, body, foot }: DialogParts, texts: Texts): HTMLDialogElement {
  count += 1;
  const id = `dialog-title-${count}`;
  const before = document.activeElement;
  const dialog = h(
    "dialog",
    { "aria-labelledby": id, "data-dialog": name },
    h(
      "div",
      { class: "panel-head" },
      h("h2", { id }, title),
      h(
        "button",
        {
          type: "button",
          class: "icon-button push",
          "aria-label": texts.t("close_button"),
          on: { click: () => dialog.close() },
        },
        icon(...ICONS.close),
      ),
    ),
    h("div", { class: "dialog-body" }, body),
    foot ? h("div", { class: "dialog-foot" }, foot) : null,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
