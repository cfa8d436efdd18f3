/** The frame of Uses, Page rules and Compare: an input, a matrix and an explanation. */

import type { App } from "../../app.js";
import { append, type Child, fill, h } from "../../dom.js";
import { ThreePanels } from "./three-panels.js";

export interface FrameOptions {
  /** The name of the view, as a class. */
  readonly name: string;
  /** The title of the panel in the middle. */
  readonly title: string;
  /** What the tab of the left panel is called. */
  readonly inputLabel: string;
  readonly input: HTMLElement;
  /** Controls above the matrix. */
  readonly tools?: HTMLElement;
  readonly legend: HTMLElement;
}

export class PanelFrame {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #body = h("div", { class: "panel-body" });
  readonly #summary = h("p", { class: "soft", "data-result": "summary" });
  readonly #explanation = h("div", { class: "explanation", tabindex: "0" });
  readonly #panels: ThreePanels;

  constructor(app: App, { name, title, inputLabel, input, tools, legend }: FrameOptions) {
    this.#app = app;
    const { texts } = app;
    const main = h(
      "section",
      { class: "panel", "aria-label": title },
      h("div", { class: "panel-head" }, h("h2", {}, title), this.#summary),
      tools,
      this.#body,
      legend,
    );
    const why = h("section", { class: "panel", "aria-label": texts.t("views_why") }, this.#explanation);
    this.#panels = new ThreePanels(texts, `${name}-view`, texts.t("views_parts"), [
      { name: "input", label: inputLabel, panel: input },
      { name: "main", label: title, panel: main },
      { name: "why", label: texts.t("views_why"), panel: why },
    ]);
    this.element = this.#panels.element;
  }

  /** Show the left panel, such as after a click on a line. */
  showInput(): void {
    this.#panels.showInput();
  }

  /** Announce the explanation of a cell that was chosen, and show it if it is not in sight. */
  openExplanation(): void {
    this.#panels.openSheet();
    // The view shows the explanation when the store reports the cell.
    queueMicrotask(() => {
      const parts = [...this.#explanation.querySelectorAll<HTMLElement>(":scope > :not(section)")];
      this.#app.announce(parts.map(({ innerText }) => innerText.replace(/\s+/g, " ").trim()).join(". "));
      if (this.#panels.isSheetOpen) this.#body.querySelector("[role=gridcell][aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    });
  }

  set busy(busy: boolean) {
    this.element.setAttribute("aria-busy", String(busy));
  }

  /** Show the parts of the body. A part that is shown already stays in its place, with its focus. */
  setBody(...children: Child[]): void {
    const fragment = document.createElement("div");
    const kept = new Set(children.filter((child) => child instanceof Node && child.parentNode === this.#body));
    for (const node of [...this.#body.childNodes]) if (!kept.has(node)) node.remove();
    let next = this.#body.firstChild;
    for (const child of children) {
      if (child === next && next !== null) {
        next = next.nextSibling;
        continue;
      }
      append(fragment, child);
      while (fragment.firstChild) this.#body.insertBefore(fragment.firstChild, next);
    }
  }

  setExplanation(...children: Child[]): void {
    fill(this.#explanation, children);
  }

  /** Show a summary in the head of the matrix, and announce it if it is new. */
  setSummary(summary: string): void {
    if (this.#summary.textContent === summary) return;
    this.#summary.textContent = summary;
    if (summary !== "") this.#app.announce(summary);
  }

  /** Show a note in place of the matrix. */
  showInstead(...note: Child[]): void {
    this.busy = false;
    this.setSummary("");
    this.setBody(...note);
    this.setExplanation();
  }
}
