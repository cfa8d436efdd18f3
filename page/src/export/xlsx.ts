/** A workbook: the verdicts, and a last sheet about the file. It is loaded when it is needed, with its library. */

import writeXlsxFile, { type Feature, type Row } from "write-excel-file/browser";
import { getCellAddress } from "write-excel-file/utility";

import type { CellValue, VerdictTable } from "./table.js";

/** Cells. More would take the browser seconds, in which the page does not react. */
export const MAX_CELLS = 500_000;
/** Characters in a cell, the limit of the format. */
const MAX_TEXT = 32_767;
/** Control characters, which XML does not allow, and `_` before what reads as an escape. Source: ECMA-376 part 1, section 22.9.2.19. */
const SPECIAL = /_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0B\x0C\x0E-\x1F]/g;
/** Widths in characters. */
const COLUMN_WIDTHS = { first: 40, other: 18 } as const;
const HEADING = { fontWeight: "bold" } as const;

export interface Sheet {
  readonly name: string;
  readonly table: VerdictTable;
}

export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Facts about the file: a label and a value each. */
  readonly facts: readonly (readonly [string, string])[];
  readonly factsName: string;
}

export async function xlsxBlob({ sheets, facts, factsName }: Workbook): Promise<Blob> {
  const width = (column: number): number => (column === 0 ? COLUMN_WIDTHS.first : COLUMN_WIDTHS.other);
  return writeXlsxFile(
    [
      ...sheets.map(({ name, table }) => ({
        sheet: name,
        data: sheetRows(table),
        columns: table.headings.map((_, column) => ({ width: width(column) })),
        stickyRowsCount: 1,
        stickyColumnsCount: 1,
      })),
      {
        sheet: factsName,
        data: facts.map(([label, value]) => [{ ...textCell(label), ...HEADING }, textCell(value)]),
        columns: [{ width: COLUMN_WIDTHS.other }, { width: 2 * COLUMN_WIDTHS.first }],
      },
    ],
    { features: [filters(sheets)] },
  ).toBlob();
}

function sheetRows(table: VerdictTable): Row[] {
  return [table.headings.map((heading) => ({ ...textCell(heading), ...HEADING })), ...Array.from(table.rows(), (row) => row.map(cell))];
}

/** Give the row of headings of each table a filter. The library has none. */
function filters(sheets: readonly Sheet[]): Feature<File | Blob | ArrayBuffer> {
  const transform = (xml: string, _: unknown, { sheetIndex }: { readonly sheetIndex: number }): string => {
    const table = sheets[sheetIndex]?.table;
    if (!table) return xml;
    const range = `A1:${getCellAddress(table.rowCount, table.headings.length - 1)}`;
    return xml.replace(/<\/sheetData>|<sheetData\/>/, `$&<autoFilter ref="${range}"/>`);
  };
  return { files: { transform: { "xl/worksheets/sheet{id}.xml": { transform } } } };
}

function cell(value: CellValue): Row[number] {
  if (typeof value === "number") return { value, type: Number };
  return value === "" ? null : textCell(value);
}

/** A cell whose type is text is not a formula, whatever it starts with. */
function textCell(value: string): { value: string; type: StringConstructor } {
  return { value: escaped(value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT - 1)}…` : value), type: String };
}

/** Write control characters as `_x0001_`, and what looks like one of them, so that it stays as it is. */
function escaped(value: string): string {
  return value.replace(SPECIAL, (found) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}
