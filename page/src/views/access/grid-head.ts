/** The head of the matrix: the purposes of crawlers, and their names. */

import { h } from "../../dom.js";

export interface Column {
  readonly token: string;
  /** The heading above the columns, such as "Training". */
  readonly purpose: string;
  readonly isFirst: boolean;
}

/** The rows of the head, of which screen readers read the second: it names the purpose of each crawler. */
export function headRows(columns: readonly Column[], corner: string): HTMLElement[] {
  const groups: { purpose: string; count: number }[] = [];
  for (const { purpose, isFirst } of columns) {
    if (isFirst || groups.length === 0) groups.push({ purpose, count: 0 });
    const last = groups.at(-1);
    if (last) last.count += 1;
  }
  return [
    h(
      "div",
      { class: "purposes", "aria-hidden": "true" },
      h("span", { class: "row-head" }),
      groups.map(({ purpose, count }) => {
        const span = h("span", { class: "purpose", title: purpose }, h("span", {}, purpose));
        span.style.setProperty("--count", String(count));
        return span;
      }),
    ),
    h(
      "div",
      { role: "row", class: "grid-names", "aria-rowindex": 1 },
      h("span", { role: "columnheader", class: "row-head" }, h("span", { class: "visually-hidden" }, corner)),
      columns.map(({ token, purpose, isFirst }) =>
        h(
          "span",
          { role: "columnheader", class: isFirst ? "name group-start" : "name", "aria-label": `${token}, ${purpose}` },
          h("span", { title: token, translate: "no" }, token),
        ),
      ),
    ),
  ];
}
