/** Which rows of the matrix are shown. */

import { MARKS, type Verdicts } from "../../engine/types.js";

export const ROW_KINDS = ["all", "blocked", "allowed", "mixed", "changed"] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export interface RowFilter {
  /** A part of the URL, in any case, with or without percent-encoding. */
  readonly text: string;
  /**
   * `blocked`: for the crawler, or at least one. `allowed`: for it, or all of them. `mixed`: blocked for at least one and
   * allowed for at least one. `changed`: by the last edit of the file.
   */
  readonly kind: RowKind;
  /** A line that decides a cell of the row, or 0. */
  readonly line: number;
  /** The crawler whose verdicts count, or an empty text. */
  readonly crawler: string;
}

export const NO_FILTER: RowFilter = { text: "", kind: "all", line: 0, crawler: "" };

export function isFiltering({ text, kind, line }: RowFilter): boolean {
  return text !== "" || kind !== "all" || line !== 0;
}

export interface FilteredCells {
  readonly columns: number;
  /** The columns of crawlers that fetch. */
  readonly fetching: readonly number[];
  /** The column of the filter's crawler, or -1. */
  readonly crawler: number;
  readonly marks: Uint8Array | null;
  readonly lines: Verdicts["lines"] | null;
  readonly changed: Uint8Array | null;
  /** Only rows with such a cell are shown, unless it is null. */
  readonly differs: Uint8Array | null;
}

/** Return the indexes of the rows that are shown. */
export function filteredRows(urls: readonly string[], cells: FilteredCells, filter: RowFilter): number[] {
  const { columns, marks, lines, changed, differs, crawler, fetching } = cells;
  const text = readable(filter.text);
  const part = <T extends Uint8Array | Uint32Array>(array: T | null, row: number): T | undefined =>
    array?.subarray(row * columns, (row + 1) * columns) as T | undefined;
  /** The cells of the chosen crawler, or of all. */
  const chosen = <T extends Uint8Array | Uint32Array>(array: T | null, row: number): T | undefined =>
    crawler < 0 || filter.kind === "mixed" ? part(array, row) : (part(array, row)?.subarray(crawler, crawler + 1) as T | undefined);
  const isOfKind = (row: number): boolean => {
    const own = part(marks, row);
    const counted = own && (crawler < 0 || filter.kind === "mixed" ? fetching : [crawler]).map((column) => own[column]);
    const isAllowed = (mark: number | undefined): boolean => mark === MARKS.none || mark === MARKS.allowed;
    switch (filter.kind) {
      case "all":
        return true;
      case "blocked":
        return counted?.includes(MARKS.blocked) ?? false;
      case "allowed":
        return counted?.every(isAllowed) ?? false;
      case "mixed":
        return counted?.includes(MARKS.blocked) === true && counted.some(isAllowed);
      case "changed":
        return chosen(changed, row)?.includes(1) ?? false;
    }
  };
  return urls.flatMap((url, row) =>
    (text === "" || readable(url).includes(text) || url.toLowerCase().includes(filter.text.toLowerCase())) &&
    (filter.line === 0 || (chosen(lines, row)?.includes(filter.line) ?? false)) &&
    (differs === null || (part(differs, row)?.includes(1) ?? false)) &&
    isOfKind(row)
      ? [row]
      : [],
  );
}

/** Return a URL in lower case, with percent-encoded UTF-8 as characters. */
function readable(url: string): string {
  return url.replace(/(?:%[\da-f]{2})+/gi, decoded).normalize().toLowerCase();
}

function decoded(octets: string): string {
  try {
    return decodeURIComponent(octets);
  } catch {
    // Not UTF-8, or a part of it while it is typed.
    return octets;
  }
}
