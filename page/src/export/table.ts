/** The verdicts that the page shows as a table of words: URLs by crawlers, or one line for each verdict. */

import type { App } from "../app.js";
import type { RowProblem } from "../engine/types.js";
import type { RowText } from "../rows.js";
import { differsAt, markAt, verdictKey } from "../views/access/cell-marks.js";
import type { GridData } from "../views/access/grid.js";

/** What the panel of verdicts shows. */
export interface ShownVerdicts {
  readonly data: GridData;
  problem(problem: RowProblem, row: RowText): string;
}

export type TableShape = "matrix" | "list";

/** A number or a text. The text can start with `=`, which no spreadsheet may read as a formula. */
export type CellValue = string | number;

export interface VerdictTable {
  readonly headings: readonly string[];
  readonly rowCount: number;
  rows(): Iterable<readonly CellValue[]>;
}

export function verdictTable(app: App, shown: ShownVerdicts, shape: TableShape): VerdictTable {
  return shape === "matrix" ? matrixTable(app, shown) : listTable(app, shown);
}

function matrixTable(app: App, shown: ShownVerdicts): VerdictTable {
  const { data } = shown;
  return {
    headings: [app.texts.t("list_url"), ...data.columns.map(({ token }) => token)],
    rowCount: data.shown.length,
    *rows() {
      for (const url of data.shown) {
        const words = data.columns.map((_, crawler) => verdictWords(app, shown, url, crawler));
        yield [data.rows[url]?.text ?? "", ...words];
      }
    },
  };
}

/** Return the line that decides each cell of the table of URLs by crawlers. A cell without one is empty. */
export function lineTable({ store, texts, verdicts }: App, { data }: ShownVerdicts): VerdictTable {
  return {
    headings: [texts.t("list_url"), ...data.columns.map(({ token }) => token)],
    rowCount: data.shown.length,
    *rows() {
      // While a site is closed, no line decides.
      const lines = store.state.closed ? undefined : verdicts.results.state.matrix?.lines;
      for (const url of data.shown) {
        const start = url * data.columns.length;
        yield [data.rows[url]?.text ?? "", ...data.columns.map((_, crawler) => lines?.[start + crawler] || "")];
      }
    },
  };
}

function listTable(app: App, shown: ShownVerdicts): VerdictTable {
  const { texts, store, verdicts } = app;
  const { data } = shown;
  const headings = ["list_url", "list_crawler", "list_verdict", "list_line", "badge_differs"] as const;
  return {
    headings: headings.map((key) => texts.t(key)),
    rowCount: data.shown.length * data.columns.length,
    *rows() {
      // While a site is closed, no line decides.
      const lines = store.state.closed ? undefined : verdicts.results.state.matrix?.lines;
      for (const url of data.shown) {
        for (const [crawler, { token }] of data.columns.entries()) {
          const index = url * data.columns.length + crawler;
          const differs = differsAt(data, url, crawler) ? texts.t("legend_differs") : "";
          yield [data.rows[url]?.text ?? "", token, verdictWords(app, shown, url, crawler), lines?.[index] || "", differs];
        }
      }
    },
  };
}

function verdictWords({ store, texts, verdicts }: App, { data, problem }: ShownVerdicts, url: number, crawler: number): string {
  const row = data.rows[url];
  const found = data.problems[url];
  if (row && found) return problem(found, row);
  const mark = markAt(data, url, crawler);
  if (mark === "invalid") return "–";
  return texts.t(verdictKey(mark, data.columns[crawler]?.token ?? "", verdicts.results.state.registry, store.state));
}
