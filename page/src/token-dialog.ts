/** Asks for the token of a server that requires one. */

import { h } from "./dom.js";
import { showDialog } from "./dialog.js";
import type { Texts } from "./texts.js";

/** Resolves to the token, or to an empty string if the dialog is closed. */
export function askForToken(texts: Texts, rejected: string): Promise<string> {
  return new Promise((resolve) => {
    const input = h("input", { id: "token", class: "field", type: "password", autocomplete: "off", spellcheck: false, required: true });
    const form = h(
      "form",
      {
        id: "token-form",
        method: "dialog",
        class: "token-form",
        on: { submit: () => resolve(input.value.trim()) },
      },
      h("label", { for: "token" }, texts.t("token_label")),
      input,
      rejected === "" ? null : h("p", { class: "note error" }, texts.t("token_rejected")),
      h("p", { class: "soft small" }, texts.nodes("token_help", { option: h("code", {}, "--token") })),
    );
    const apply = h(
      "button",
      { type: "submit", form: "token-form", class: "button strong", "data-control": "token-apply" },
      texts.t("apply_button"),
    );
    const dialog = showDialog({ name: "token", title: texts.t("token_title"), body: form, foot: apply }, texts);
    // After a submission, this changes nothing.
    dialog.addEventListener("close", () => resolve(""));
    input.focus();
  });
}
