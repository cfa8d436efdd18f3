/** The matrix as a plain table: one line for each URL and crawler. */

import type { App } from "../../app.js";
import { h } from "../../dom.js";
import type { RowProblem } from "../../engine/types.js";
import type { RowText } from "../../rows.js";
import type { Cell } from "../../state.js";
import { differsAt, markAt, verdictKey } from "./cell-marks.js";
import type { GridData } from "./grid.js";

/** More lines are not useful in a list. */
const MAX_LINES = 2000;

export function verdictList(
  { texts, verdicts, store }: App,
  data: GridData,
  problemText: (problem: RowProblem, row: RowText) => string,
  explain: (cell: Cell) => void,
): HTMLElement {
  const { matrix, registry } = verdicts.results.state;
  const lines = matrix?.lines;
  const body = h("tbody", {});
  let count = 0;
  for (const url of data.shown) {
    const row = data.rows[url];
    if (!row || count >= MAX_LINES) break;
    const path = row.path + row.query;
    const problem = data.problems[url];
    if (problem) {
      count += 1;
      const text = problemText(problem, row);
      body.append(h("tr", {}, h("th", { scope: "row", class: "mono" }, path), h("td", { colspan: 3 }, text)));
      continue;
    }
    data.columns.forEach((column, crawler) => {
      count += 1;
      const index = url * data.columns.length + crawler;
      const mark = markAt(data, url, crawler);
      const differs = differsAt(data, url, crawler);
      const text = mark === "invalid" ? "–" : texts.t(verdictKey(mark, column.token, registry, store.state));
      const selected = store.state.selected?.url === url && store.state.selected.crawler === crawler;
      body.append(
        h(
          "tr",
          { "aria-selected": selected },
          h("th", { scope: "row", class: "mono" }, path),
          h("td", { translate: "no" }, column.token),
          h(
            "td",
            {},
            h(
              "button",
              {
                type: "button",
                class: "list-verdict",
                "data-cell": `${column.token} ${path}`,
                on: { click: () => explain({ url, crawler }) },
              },
              h("span", { class: `cell ${mark}${differs ? " differs" : ""}`, "aria-hidden": "true" }),
              differs ? `${text}; ${texts.t("legend_differs")}` : text,
            ),
          ),
          h("td", { class: "number" }, lines?.[index] || ""),
        ),
      );
    });
  }
  const headings = ["list_url", "list_crawler", "list_verdict", "list_line"] as const;
  return h(
    "div",
    { class: "list-scroll", tabindex: 0, role: "region", "aria-label": texts.t("grid_label") },
    h(
      "table",
      { class: "verdict-list" },
      h("thead", {}, h("tr", {}, headings.map((key) => h("th", { scope: "col" }, texts.t(key))))),
      body,
    ),
  );
}
