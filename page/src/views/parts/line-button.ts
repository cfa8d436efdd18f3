/** A line number that shows the line in the editor. */

import { h } from "../../dom.js";
import type { Texts } from "../../texts.js";

export function lineButton(texts: Texts, line: number, goTo: (line: number) => void): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: "line-button",
      title: texts.t("views_show_line", { line }),
      "data-line": line,
      on: { click: () => goTo(line) },
    },
    texts.t("views_line", { line }),
  );
}
