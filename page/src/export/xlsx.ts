/** A workbook: the verdicts, and a second sheet about the file. It is loaded when it is needed, with its library. */

import writeXlsxFile, { type Row } from "write-excel-file/browser";

import type { CellValue, VerdictTable } from "./table.js";

/** Cells. More would take the browser seconds, in which the page does not react. */
export const MAX_CELLS = 500_000;
/** Characters in a cell, the limit of the format. */
const MAX_TEXT = 32_767;
/** Widths in characters. */
const COLUMN_WIDTHS = { first: 40, other: 18 } as const;
const HEADING = { fontWeight: "bold" } as const;

export interface Workbook {
  readonly table: VerdictTable;
  readonly name: string;
  /** Facts about the file: a label and a value each. */
  readonly facts: readonly (readonly [string, string])[];
  readonly factsName: string;
}

export async function xlsxBlob({ table, name, facts, factsName }: Workbook): Promise<Blob> {
  const rows: Row[] = [table.headings.map((heading) => ({ ...textCell(heading), ...HEADING }))];
  for (const row of table.rows()) rows.push(row.map(cell));
  const width = (column: number): number => (column === 0 ? COLUMN_WIDTHS.first : COLUMN_WIDTHS.other);
  return writeXlsxFile([
    {
      sheet: name,
      data: rows,
      columns: table.headings.map((_, column) => ({ width: width(column) })),
      stickyRowsCount: 1,
      stickyColumnsCount: 1,
    },
    {
      sheet: factsName,
      data: facts.map(([label, value]) => [{ ...textCell(label), ...HEADING }, textCell(value)]),
      columns: [{ width: COLUMN_WIDTHS.other }, { width: 2 * COLUMN_WIDTHS.first }],
    },
  ]).toBlob();
}

function cell(value: CellValue): Row[number] {
  if (typeof value === "number") return { value, type: Number };
  return value === "" ? null : textCell(value);
}

/** A cell whose type is text is not a formula, whatever it starts with. The library omits what XML does not allow. */
function textCell(value: string): { value: string; type: StringConstructor } {
  return { value: value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value, type: String };
}
