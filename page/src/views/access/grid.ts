/**
 * The matrix as an ARIA grid. Only visible rows are in the document. A change of verdicts changes classes, nothing
 * else: names for screen readers follow when the browser is idle.
 */

import { append, fill, h } from "../../dom.js";
import { MARKS, type RowProblem } from "../../engine/types.js";
import type { RowText } from "../../rows.js";
import type { Cell } from "../../state.js";
import { resizeEdge } from "../parts/resize-edge.js";
import { type GridPosition, movedPosition, within } from "../parts/grid-keys.js";
import { type Column, headRows } from "./grid-head.js";

/** By mark of the engine. */
const MARK_CLASSES = ["cell none", "cell allowed", "cell blocked", "cell invalid"] as const;
const DIFFERS = 4;
const SELECTED = 8;
const CLASSES = Array.from({ length: 16 }, (_, code) => {
  const differs = code & DIFFERS ? " differs" : "";
  return `${MARK_CLASSES[code & 3]}${differs}${code & SELECTED ? " selected" : ""}`;
});
/** Rows above and below the visible ones. */
const OVERSCAN = 4;
const MAX_ROWS = 60;
const LABEL_DELAY_MS = 250;

/** What the grid shows. `rows`, `problems` and `shown` stay the same object while only verdicts change. */
export interface GridData {
  readonly rows: readonly RowText[];
  readonly problems: readonly (RowProblem | null)[];
  readonly columns: readonly Column[];
  /** Indexes of the rows that are shown, in order. */
  readonly shown: readonly number[];
  readonly marks: Uint8Array | null;
  readonly differs: Uint8Array | null;
}

export interface GridTexts {
  readonly label: string;
  readonly corner: string;
  /** The name of the edge of the column of URLs. */
  readonly edge: string;
  cell(row: RowText, column: Column, index: number): string;
  problem(problem: RowProblem, row: RowText): string;
}

interface RowElement {
  readonly element: HTMLElement;
  readonly header: HTMLElement;
  readonly cells: readonly HTMLElement[];
  readonly remark: HTMLElement;
  readonly codes: Uint8Array;
  labels: string[];
  /** Index into `rows`, or -1. */
  row: number;
  /** Index into `shown`. */
  place: number;
}

export class Grid {
  readonly element: HTMLElement;
  readonly #head = h("div", { class: "grid-head" });
  readonly #body = h("div", { class: "grid-body", role: "rowgroup" });
  readonly #grid: HTMLElement;
  readonly #columnShade = h("div", { class: "column-shade", "aria-hidden": "true", hidden: true });
  #data: GridData = { rows: [], problems: [], columns: [], shown: [], marks: null, differs: null };
  #pool: RowElement[] = [];
  #rowHeight = 28;
  /** As of the last layout. Asking for them while the page is being changed would cost a layout each time. */
  #view = { top: 0, height: 0, head: 0 };
  #columnFrame = 0;
  #selected: Cell | null = null;
  /** The cell with `tabindex=0`; its row is an index into `shown`. */
  #focus: GridPosition = { row: 0, column: 0 };
  #labelTimer = 0;
  readonly #onSelect: (cell: Cell) => void;
  #texts: GridTexts;

  constructor(texts: GridTexts, onSelect: (cell: Cell) => void) {
    this.#texts = texts;
    this.#onSelect = onSelect;
    this.#grid = h(
      "div",
      { class: "grid", role: "grid", "aria-label": texts.label, "aria-readonly": "true" },
      this.#head,
      this.#body,
    );
    const edge = resizeEdge({
      label: texts.edge,
      name: "column-edge",
      min: 96,
      max: 2000,
      width: () => this.#head.querySelector<HTMLElement>(".row-head")?.offsetWidth ?? 0,
      // No visible URL is cut off.
      fit: (set) => set(Math.max(0, ...this.#rowHeads().map(({ scrollWidth }) => scrollWidth))),
      setWidth: (pixels) => {
        this.element.style.setProperty("--head-width", `${pixels}px`);
        this.#markColumnLater();
      },
    });
    this.element = h("div", { class: "grid-scroll" }, edge, this.#grid);
    this.element.addEventListener(
      "scroll",
      () => {
        this.#view.top = Math.max(0, this.element.scrollTop);
        this.#render();
      },
      { passive: true },
    );
    this.#body.addEventListener("click", (event) => this.#click(event));
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    const observer = new ResizeObserver(() => {
      this.#measure();
      // A sheet that opens over the grid must not hide the cell that it explains.
      const place = this.#selected ? this.#data.shown.indexOf(this.#selected.url) : -1;
      if (place >= 0) this.#reveal(place);
    });
    observer.observe(this.element);
    observer.observe(this.#head);
  }

  setData(data: GridData): void {
    const old = this.#data;
    this.#data = data;
    if (old.columns !== data.columns) this.#setColumns();
    const hasOtherRows = old.rows !== data.rows || old.shown !== data.shown || old.problems !== data.problems;
    if (old.rows !== data.rows) this.#setLongest();
    if (hasOtherRows || old.columns !== data.columns) {
      for (const row of this.#pool) row.row = -1;
      this.#grid.setAttribute("aria-rowcount", String(data.shown.length + 1));
      this.#focus = within(this.#focus, this.#size);
      this.#setHeight();
    }
    this.#render();
  }

  /** Mark the selected cell, and scroll to it unless it is visible. */
  setSelected(cell: Cell | null): void {
    this.#selected = cell;
    if (cell) {
      const place = this.#data.shown.indexOf(cell.url);
      if (place >= 0) {
        this.#focus = { row: place, column: cell.crawler };
        this.#reveal(place);
      }
    }
    this.#render();
    this.#markColumnLater();
  }

  /** Focus the selected cell, or the first one. */
  focus(): void {
    this.#reveal(this.#focus.row);
    this.#render();
    const cell = this.#cellElement();
    cell?.focus({ preventScroll: true });
    // Its column may be out of sight, or under the URLs.
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  get hasFocus(): boolean {
    return this.#body.contains(document.activeElement);
  }

  #setColumns(): void {
    const { columns } = this.#data;
    this.#body.replaceChildren(this.#columnShade);
    this.#pool = [];
    this.#grid.setAttribute("aria-colcount", String(columns.length + 1));
    this.element.style.setProperty("--columns", String(columns.length));
    fill(this.#head, headRows(columns, this.#texts.corner));
  }

  /** The column of URLs is as wide as the longest one, if there is room. */
  #setLongest(): void {
    const longest = this.#data.rows.reduce((most, { path, query }) => Math.max(most, path.length + query.length), 0);
    this.element.style.setProperty("--longest", String(longest));
  }

  /** Measure after a layout. */
  #measure(): void {
    const first = this.#pool[0] ?? this.#makeRow();
    if (!first.element.isConnected) this.#body.append(first.element);
    const height = first.element.getBoundingClientRect().height;
    if (height > 0) this.#rowHeight = height;
    const { scrollTop, clientHeight } = this.element;
    this.#view = { top: Math.max(0, scrollTop), height: clientHeight, head: this.#head.offsetHeight };
    this.element.style.setProperty("--head-height", `${this.#view.head}px`);
    this.#setHeight();
    this.#render();
    this.#markColumn();
  }

  #setHeight(): void {
    this.#body.style.setProperty("height", `${this.#data.shown.length * this.#rowHeight}px`);
    for (const row of this.#pool) row.place = -1;
    this.#markColumnLater();
  }

  #makeRow(): RowElement {
    const header = h("span", { role: "rowheader", class: "row-head", translate: "no" });
    const cells = this.#data.columns.map(({ isFirst }, column) =>
      h("span", { role: "gridcell", class: "cell", tabindex: -1, "data-column": column, ...(isFirst ? { "data-start": true } : {}) }),
    );
    const remark = h("span", { role: "gridcell", class: "row-remark", tabindex: -1, "aria-colspan": cells.length });
    const element = h("div", { role: "row", class: "grid-row" }, header, cells, remark);
    const row: RowElement = {
      element,
      header,
      cells,
      remark,
      codes: new Uint8Array(cells.length).fill(255),
      labels: [],
      row: -1,
      place: -1,
    };
    this.#pool.push(row);
    return row;
  }

  /** Show the rows in view. Rows that stay in view keep their elements. */
  #render(): void {
    const { shown } = this.#data;
    const { top, height } = this.#view;
    const visible = Math.ceil(height / this.#rowHeight) + 1;
    const first = Math.max(0, Math.min(Math.floor(top / this.#rowHeight), shown.length) - OVERSCAN);
    const last = Math.min(shown.length, first + Math.min(visible + 2 * OVERSCAN, MAX_ROWS - 1));
    const wanted = new Set<number>();
    for (let place = first; place < last; place += 1) wanted.add(place);
    // The row with the focus stays.
    if (this.#focus.row < shown.length) wanted.add(this.#focus.row);

    const free: RowElement[] = [];
    for (const row of this.#pool) {
      if (row.row >= 0 && wanted.has(row.place) && shown[row.place] === row.row) wanted.delete(row.place);
      else free.push(row);
    }
    const assigned = [...wanted].map((place) => {
      const row = free.pop() ?? this.#makeRow();
      this.#assign(row, place);
      return row;
    });
    for (const row of free) {
      row.row = -1;
      row.element.remove();
    }
    this.#order(assigned);
    for (const row of this.#pool) if (row.row >= 0) this.#paint(row);
    this.#labelLater();
  }

  /** Put rows into the document in order. The others stay where they are, because moving one would lose its focus. */
  #order(assigned: readonly RowElement[]): void {
    if (assigned.length === 0) return;
    const isNew = new Set(assigned);
    const rows = this.#pool.filter(({ row }) => row >= 0).sort((a, b) => b.place - a.place);
    let next: HTMLElement | null = null;
    for (const row of rows) {
      if (isNew.has(row)) this.#body.insertBefore(row.element, next);
      next = row.element;
    }
  }

  #assign(row: RowElement, place: number): void {
    const index = this.#data.shown[place] ?? 0;
    const entry = this.#data.rows[index];
    if (!entry) return;
    row.row = index;
    row.place = place;
    row.codes.fill(255);
    row.labels = [];
    row.element.setAttribute("aria-rowindex", String(place + 2));
    row.element.style.setProperty("transform", `translateY(${place * this.#rowHeight}px)`);
    fill(row.header, entry.path);
    if (entry.query !== "") append(row.header, h("span", { class: "query" }, entry.query));
    row.header.title = entry.text;
    const problem = this.#data.problems[index] ?? null;
    row.element.classList.toggle("without-verdicts", problem !== null);
    row.remark.textContent = problem === null ? "" : this.#texts.problem(problem, entry);
    row.remark.title = row.remark.textContent;
    row.remark.hidden = problem === null;
    for (const cell of row.cells) cell.hidden = problem !== null;
  }

  #paint(row: RowElement): void {
    const { marks, differs, columns } = this.#data;
    const start = row.row * columns.length;
    const isSelectedRow = this.#selected?.url === row.row;
    row.element.classList.toggle("current", isSelectedRow);
    for (let column = 0; column < columns.length; column += 1) {
      const code =
        (marks?.[start + column] ?? MARKS.none) |
        (differs?.[start + column] ? DIFFERS : 0) |
        (isSelectedRow && this.#selected?.crawler === column ? SELECTED : 0);
      const cell = row.cells[column];
      if (!cell) continue;
      if (row.codes[column] !== code) {
        row.codes[column] = code;
        cell.className = CLASSES[code] ?? "cell";
      }
      const stop = row.place === this.#focus.row && column === this.#focus.column ? 0 : -1;
      if (cell.tabIndex !== stop) cell.tabIndex = stop;
    }
  }

  #labelLater(): void {
    clearTimeout(this.#labelTimer);
    this.#labelTimer = window.setTimeout(() => {
      for (const row of this.#pool) row.cells.forEach((_, column) => this.#label(row, column));
      this.element.dataset["labelled"] = String(Number(this.element.dataset["labelled"] ?? 0) + 1);
    }, LABEL_DELAY_MS);
  }

  /** Label a cell for screen readers. */
  #label({ row, cells, labels, codes }: RowElement, index: number): void {
    const { rows, columns } = this.#data;
    const [entry, column, cell] = [rows[row], columns[index], cells[index]];
    if (!entry || !column || !cell) return;
    const text = this.#texts.cell(entry, column, row * columns.length + index);
    const isSelected = ((codes[index] ?? 0) & SELECTED) !== 0;
    const label = `${isSelected} ${text}`;
    if (labels[index] === label) return;
    labels[index] = label;
    cell.setAttribute("aria-label", text);
    cell.setAttribute("aria-selected", String(isSelected));
  }

  #reveal(place: number): void {
    const top = place * this.#rowHeight;
    const { top: old, height, head } = this.#view;
    const room = height - head;
    if (room <= 0) return;
    if (top < old) this.#scrollTo(top);
    else if (top + this.#rowHeight > old + room) this.#scrollTo(top + this.#rowHeight - room + 8);
  }

  #scrollTo(top: number): void {
    this.element.scrollTop = top;
    this.#view.top = Math.max(0, this.element.scrollTop);
  }

  /** Mark the column in the next frame, once for all changes. */
  #markColumnLater(): void {
    if (this.#columnFrame !== 0) return;
    this.#columnFrame = requestAnimationFrame(() => {
      this.#columnFrame = 0;
      this.#markColumn();
    });
  }

  /** Emphasise the name of the selected column, and shade the column. */
  #markColumn(): void {
    const names = [...this.#head.querySelectorAll<HTMLElement>(".name")];
    const header = names[this.#selected?.crawler ?? -1];
    for (const name of names) name.classList.toggle("current", name === header);
    this.#columnShade.hidden = !header || this.#data.shown.length === 0;
    if (!header) return;
    this.#columnShade.style.setProperty("left", `${header.offsetLeft}px`);
    this.#columnShade.style.setProperty("width", `${header.offsetWidth}px`);
  }

  #rowHeads(): HTMLElement[] {
    return [...this.#body.querySelectorAll<HTMLElement>(".row-head")];
  }

  get #size(): { rows: number; columns: number } {
    return { rows: this.#data.shown.length, columns: this.#data.columns.length };
  }

  #cellElement(): HTMLElement | undefined {
    const row = this.#pool.find(({ row: index, place }) => index >= 0 && place === this.#focus.row);
    // A screen reader reads the cell when it has the focus, so its label cannot wait.
    if (row) this.#label(row, this.#focus.column);
    return row && this.#data.problems[row.row] ? row.remark : row?.cells[this.#focus.column];
  }

  #click(event: Event): void {
    const target = event.target as HTMLElement;
    const element = target.closest<HTMLElement>(".grid-row");
    const row = this.#pool.find((candidate) => candidate.element === element);
    if (!row || row.row < 0) return;
    const column = target.closest<HTMLElement>("[data-column]")?.dataset["column"];
    if (column === undefined) return;
    this.#focus = { row: row.place, column: Number(column) };
    this.#onSelect({ url: row.row, crawler: Number(column) });
    this.#render();
    this.#cellElement()?.focus({ preventScroll: true });
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      const url = this.#data.shown[this.#focus.row];
      if (url !== undefined) this.#onSelect({ url, crawler: this.#focus.column });
      event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor((this.#view.height - this.#view.head) / this.#rowHeight) - 1);
    const focus =
      event.key === "n" || event.key === "N"
        ? this.#nextDifference(event.shiftKey ? -1 : 1)
        : movedPosition(event, this.#focus, { ...this.#size, page });
    if (!focus) return;
    event.preventDefault();
    this.#focus = focus;
    this.focus();
  }

  #nextDifference(step: 1 | -1): GridPosition | null {
    const { shown, columns, differs } = this.#data;
    const cells = shown.length * columns.length;
    if (!differs || cells === 0) return null;
    let at = this.#focus.row * columns.length + this.#focus.column;
    for (let count = 0; count < cells; count += 1) {
      at = (at + step + cells) % cells;
      const place = Math.floor(at / columns.length);
      const column = at % columns.length;
      if (differs[(shown[place] ?? 0) * columns.length + column]) return { row: place, column };
    }
    return null;
  }
}
