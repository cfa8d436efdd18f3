/** A table in Markdown, as GitHub and CommonMark with tables read it. */

import type { CellValue, VerdictTable } from "./table.js";

/** Characters with a meaning in a cell. `&` starts a character reference. */
const SPECIAL = /[\\`*_~[\]<>|&$]/g;

export function markdownBlob(table: VerdictTable, title: string): Blob {
  const parts = [`${escaped(title)}\n\n`, line(table.headings), line(table.headings.map(() => "---"), String)];
  for (const row of table.rows()) parts.push(line(row));
  return new Blob(parts, { type: "text/markdown" });
}

function line(values: readonly CellValue[], form: (value: CellValue) => string = escaped): string {
  return `| ${values.map(form).join(" | ")} |\n`;
}

function escaped(value: CellValue): string {
  return String(value)
    .replace(/[\r\n\t]+/g, " ")
    .replace(SPECIAL, "\\$&");
}
