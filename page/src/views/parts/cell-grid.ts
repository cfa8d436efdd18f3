/** A grid of cells with one tab stop: arrows, Home, End, Enter, and a sentence as the name of each cell. */

import { type Child, fill, h } from "../../dom.js";
import { type GridPosition, movedPosition, within } from "./grid-keys.js";
import { type Mark, mark } from "./marks.js";

export interface GridColumn {
  readonly label: string;
  /** Columns with the same heading stand together under it. */
  readonly group?: string;
}

export interface GridCell {
  readonly mark: Mark;
  /** A sentence that names row, column and state. */
  readonly name: string;
  /** Words beside the mark. */
  readonly text?: string;
  /** A dot at the mark. */
  readonly dotted?: boolean;
}

export interface GridRow {
  readonly head: Child;
  readonly cells: readonly GridCell[];
}

export interface GridOptions {
  readonly label: string;
  readonly corner: string;
  /** `words`: horizontal headings, and words in the cells. `squares`: upright headings, as for verdicts. */
  readonly shape: "words" | "squares";
  onChoose(position: GridPosition): void;
}

/** The style sheet sets their sizes. */
const TRACK = "var(--track-size)";
/** The rows that PageUp and PageDown move by. */
const PAGE_ROWS = 10;
const GAP_TRACK = "var(--gap-size)";
/** The gap after a single column under a heading, which can be wider than the column. */
const HEADING_TRACK = "minmax(var(--gap-size), max-content)";

export class CellGrid {
  readonly element: HTMLElement;
  readonly #options: GridOptions;
  #cells: HTMLElement[][] = [];
  #active: GridPosition = { row: 0, column: 0 };

  constructor(options: GridOptions) {
    this.#options = options;
    this.element = h("div", {
      role: "grid",
      class: `view-grid ${options.shape}`,
      "aria-label": options.label,
      on: { keydown: (event) => this.#onKey(event), click: (event) => this.#onClick(event) },
    });
  }

  /** Show cells. The focus stays at its row and column. */
  update(columns: readonly GridColumn[], rows: readonly GridRow[], chosen: GridPosition | null): void {
    const focused = this.element.contains(document.activeElement);
    const tracks = this.#layOut(columns);
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.element.setAttribute("aria-colcount", String(columns.length + 1));
    this.#cells = rows.map((row, index) =>
      row.cells.map((cell, column) => this.#cell(cell, { row: index, column }, tracks[column] ?? 0, chosen)),
    );
    fill(
      this.element,
      groupHeadings(columns, tracks),
      h(
        "div",
        { role: "row", class: "view-row", "aria-rowindex": 1 },
        h("span", { role: "columnheader", class: "grid-corner", "aria-colindex": 1 }, this.#options.corner),
        columns.map(({ label }, column) => {
          const head = h(
            "span",
            {
              role: "columnheader",
              class: chosen?.column === column ? "column-head chosen" : "column-head",
              "aria-colindex": column + 2,
              title: label,
            },
            h("span", {}, label),
          );
          return inTrack(head, tracks[column] ?? 0);
        }),
      ),
      rows.map((row, index) =>
        h(
          "div",
          {
            role: "row",
            class: chosen?.row === index ? "view-row chosen" : "view-row",
            "aria-rowindex": index + 2,
          },
          h("div", { role: "rowheader", class: "line-head", "aria-colindex": 1 }, row.head),
          this.#cells[index],
        ),
      ),
    );
    this.#activate(chosen ?? this.#active, focused);
  }

  /** Set the tracks, with a gap before each heading. Returns the track of each column, after that of the row heads. */
  #layOut(columns: readonly GridColumn[]): number[] {
    const tracks: string[] = [];
    const places = columns.map((_, column) => {
      if (column > 0 && startsGroup(columns, column) && tracks.at(-1) === TRACK) tracks.push(GAP_TRACK);
      tracks.push(TRACK);
      const place = tracks.length + 1;
      if (isAlone(columns, column)) tracks.push(HEADING_TRACK);
      return place;
    });
    this.element.style.setProperty("--tracks", tracks.join(" "));
    return places;
  }

  #cell(cell: GridCell, { row, column }: GridPosition, track: number, chosen: GridPosition | null): HTMLElement {
    const element = h(
      "div",
      {
        role: "gridcell",
        class: `state-cell ${cell.mark}`,
        tabindex: "-1",
        "aria-label": cell.name,
        "aria-selected": String(chosen?.row === row && chosen.column === column),
        "aria-colindex": column + 2,
        title: cell.name,
        "data-row": row,
        "data-column": column,
        "data-state": cell.mark,
      },
      mark(cell.mark),
      cell.text ? h("span", { class: "cell-text", "data-text": cell.text }) : null,
      cell.dotted ? h("span", { class: "cell-dot" }) : null,
    );
    return inTrack(element, track);
  }

  get #size(): { rows: number; columns: number } {
    return { rows: this.#cells.length, columns: this.#cells[0]?.length ?? 0 };
  }

  #activate(position: GridPosition, focus: boolean): void {
    if (this.#size.rows === 0 || this.#size.columns === 0) return;
    this.#at(this.#active)?.setAttribute("tabindex", "-1");
    this.#active = within(position, this.#size);
    const cell = this.#at(this.#active);
    cell?.setAttribute("tabindex", "0");
    if (focus) cell?.focus();
  }

  #at({ row, column }: GridPosition): HTMLElement | undefined {
    return this.#cells[row]?.[column];
  }

  #onClick(event: MouseEvent): void {
    const cell = (event.target as Element).closest<HTMLElement>("[role=gridcell]");
    if (!cell) return;
    const position = { row: Number(cell.dataset["row"]), column: Number(cell.dataset["column"]) };
    this.#activate(position, true);
    this.#options.onChoose(position);
  }

  #onKey(event: KeyboardEvent): void {
    const target = movedPosition(event, this.#active, { ...this.#size, page: PAGE_ROWS });
    if (target) {
      event.preventDefault();
      this.#activate(target, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#options.onChoose(this.#active);
    }
  }
}

function startsGroup(columns: readonly GridColumn[], column: number): boolean {
  return column === 0 || columns[column]?.group !== columns[column - 1]?.group;
}

/** Whether a column is the only one under its heading. */
function isAlone(columns: readonly GridColumn[], column: number): boolean {
  const isLast = column === columns.length - 1 || startsGroup(columns, column + 1);
  return columns[column]?.group !== undefined && isLast && startsGroup(columns, column);
}

/** The headings above the columns. Screen readers learn the group from the explanation. */
function groupHeadings(columns: readonly GridColumn[], tracks: readonly number[]): Child {
  return columns.map(({ group }, column) => {
    if (group === undefined || !startsGroup(columns, column)) return null;
    let last = column;
    while (columns[last + 1]?.group === group) last += 1;
    const lastTrack = (tracks[last] ?? 0) + Number(isAlone(columns, column));
    const heading = h("span", { class: "group-heading", "aria-hidden": "true", title: group }, group);
    heading.style.setProperty("--last-track", String(lastTrack));
    return inTrack(heading, tracks[column] ?? 0);
  });
}

function inTrack(element: HTMLElement, track: number): HTMLElement {
  element.style.setProperty("--track", String(track));
  return element;
}
