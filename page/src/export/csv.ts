/** CSV as RFC 4180 describes it, in UTF-8 with a byte order mark, without which Excel reads another encoding. */

import type { CellValue, VerdictTable } from "./table.js";

/** Spreadsheets read such a text as a formula. Some ignore white space before it, and read full-width forms. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
/** Rows that are joined at a time, so that a large table is not one string. */
const CHUNK_ROWS = 5000;

export function csvBlob(table: VerdictTable): Blob {
  const parts = ["\ufeff", line(table.headings)];
  let chunk: string[] = [];
  for (const row of table.rows()) {
    if (chunk.push(line(row)) < CHUNK_ROWS) continue;
    parts.push(chunk.join(""));
    chunk = [];
  }
  return new Blob([...parts, ...chunk], { type: "text/csv" });
}

function line(values: readonly CellValue[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: CellValue): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
