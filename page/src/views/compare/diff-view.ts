/** The difference of the texts: changed lines with three lines around them; the rest unfolds on request. */

import { withRawBytes } from "../parts/raw-bytes.js";
import { fill, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { type DiffLine, diffLines } from "./line-diff.js";

const CONTEXT = 3;
/** More rows are shown on request. */
const MAX_ROWS = 1500;

const SIGNS = { same: "", removed: "−", added: "+" } as const;

export class DiffView {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #rows = h("tbody", {});
  #lines: readonly DiffLine[] = [];
  #unfolded = new Set<number>();
  #limit = MAX_ROWS;
  #marked: { oldLine: number; newLine: number } = { oldLine: 0, newLine: 0 };

  constructor(texts: Texts) {
    this.#texts = texts;
    this.element = h(
      "div",
      { class: "diff", tabindex: "0", role: "region", "aria-label": texts.t("compare_text") },
      h(
        "table",
        {},
        h(
          "thead",
          { class: "visually-hidden" },
          h(
            "tr",
            {},
            (["compare_old_line", "compare_new_line", "compare_change", "compare_line_text"] as const).map((key) =>
              h("th", { scope: "col" }, texts.t(key)),
            ),
          ),
        ),
        this.#rows,
      ),
    );
  }

  update(before: string, after: string): { added: number; removed: number } {
    this.#lines = diffLines(before, after);
    this.#unfolded.clear();
    this.#limit = MAX_ROWS;
    this.#show();
    const count = (kind: DiffLine["kind"]): number => this.#lines.filter((line) => line.kind === kind).length;
    return { added: count("added"), removed: count("removed") };
  }

  /** Mark the lines that decide before and after, 0 for none, and show them. */
  mark(oldLine: number, newLine: number): void {
    this.#marked = { oldLine, newLine };
    this.#lines.forEach((line, index) => {
      if (this.#isMarked(line)) this.#unfolded.add(index);
    });
    this.#show();
    const first = this.#rows.querySelector<HTMLElement>(".marked");
    if (first) this.element.scrollTop = Math.max(0, first.offsetTop - this.element.clientHeight / 3);
  }

  #isMarked({ oldLine, newLine }: DiffLine): boolean {
    const { oldLine: old, newLine: updated } = this.#marked;
    return (old > 0 && oldLine === old) || (updated > 0 && newLine === updated);
  }

  #show(): void {
    const rows: HTMLElement[] = [];
    const shown = visibleLines(this.#lines, this.#unfolded);
    for (let index = 0; index < this.#lines.length && rows.length < this.#limit; index++) {
      const line = this.#lines[index];
      if (!line) continue;
      if (shown[index]) {
        rows.push(this.#row(line));
        continue;
      }
      let end = index;
      while (end < this.#lines.length && !shown[end]) end += 1;
      rows.push(this.#fold(index, end));
      index = end - 1;
    }
    if (rows.length >= this.#limit) rows.push(this.#more());
    fill(this.#rows, rows);
  }

  #row(line: DiffLine): HTMLElement {
    const { kind, oldLine, newLine, text } = line;
    return h(
      "tr",
      { class: `diff-line ${kind}${this.#isMarked(line) ? " marked" : ""}` },
      h("td", { class: "diff-number" }, oldLine),
      h("td", { class: "diff-number" }, newLine),
      h(
        "td",
        { class: "diff-sign" },
        SIGNS[kind],
        kind === "same" ? null : h("span", { class: "visually-hidden" }, this.#texts.t(`compare_${kind}`)),
      ),
      h("td", { class: "diff-text", translate: "no" }, text === "" ? " " : withRawBytes(text)),
    );
  }

  #fold(start: number, end: number): HTMLElement {
    return this.#wide(this.#texts.t("compare_equal_lines", { count: end - start }), () => {
      for (let index = start; index < end; index++) this.#unfolded.add(index);
      this.#show();
    });
  }

  #more(): HTMLElement {
    return this.#wide(this.#texts.t("compare_more_lines"), () => {
      this.#limit = Infinity;
      this.#show();
    });
  }

  #wide(text: string, click: () => void): HTMLElement {
    return h(
      "tr",
      { class: "diff-fold" },
      h("td", { colspan: 4 }, h("button", { type: "button", class: "button plain", on: { click } }, text)),
    );
  }
}

function visibleLines(lines: readonly DiffLine[], unfolded: ReadonlySet<number>): boolean[] {
  const shown = lines.map(() => false);
  lines.forEach((line, index) => {
    if (line.kind === "same" && !unfolded.has(index)) return;
    const context = line.kind === "same" ? 0 : CONTEXT;
    for (let at = Math.max(0, index - context); at <= Math.min(lines.length - 1, index + context); at++) shown[at] = true;
  });
  return shown;
}
