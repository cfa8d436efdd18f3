/** The list of keys, the settings, and the licenses. */

import type { App } from "./app.js";
import { checkbox, h } from "./dom.js";
import { showDialog } from "./dialog.js";
import { siteAddress } from "./site.js";
import type { TextKey } from "./texts.js";

const SECTIONS: readonly { title: TextKey; keys: readonly [string, TextKey][] }[] = [
  {
    title: "keys_everywhere",
    keys: [
      ["?", "key_help"],
      ["/", "key_source"],
      ["1 2 3 4", "key_views"],
    ],
  },
  {
    title: "keys_grid",
    keys: [
      ["← → ↑ ↓", "key_arrows"],
      ["Home End", "key_row_ends"],
      ["Ctrl+Home Ctrl+End", "key_grid_ends"],
      ["PageUp PageDown", "key_pages"],
      ["Enter", "key_explain"],
      ["Esc", "key_back"],
      ["N Shift+N", "key_next_difference"],
    ],
  },
  {
    title: "keys_editor",
    keys: [
      ["Ctrl+.", "key_fixes"],
      ["F8", "key_next_note"],
      ["Tab", "key_leave"],
    ],
  },
];

export function showKeys({ texts, store }: App): void {
  const setting = (field: "singleKeys" | "historic", text: TextKey): HTMLElement =>
    checkbox(field, store.state[field], (checked) => store.set({ [field]: checked }), texts.t(text));
  showDialog(
    {
      name: "keys",
      title: texts.t("keys_title"),
      body: [
        h(
          "div",
          { class: "key-sections" },
          SECTIONS.map(({ title, keys }) =>
            h(
              "section",
              {},
              h("h3", {}, texts.t(title)),
              h(
                "dl",
                { class: "keys" },
                keys.map(([names, text]) =>
                  h(
                    "div",
                    {},
                    h("dt", {}, names.split(" ").map((key) => [h("kbd", {}, key), " "])),
                    h("dd", {}, texts.t(text)),
                  ),
                ),
              ),
            ),
          ),
        ),
        setting("singleKeys", "setting_single_keys"),
        setting("historic", "setting_historic"),
        h("p", { class: "soft" }, h("a", { href: siteAddress("licences"), "data-control": "licences" }, texts.t("licences_link"))),
      ],
    },
    texts,
  );
}
