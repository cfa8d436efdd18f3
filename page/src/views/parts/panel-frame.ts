/** Three panels side by side: an input, a matrix and an explanation. On a phone they are tabs, as in Access. */

import type { App } from "../../app.js";
import { append, type Child, fill, h } from "../../dom.js";
import { moveFocus } from "../../shell.js";
import { Sheet } from "../access/sheet.js";
import { panelEdges } from "./panel-edges.js";

const PARTS = ["input", "main", "why"] as const;
type Part = (typeof PARTS)[number];

/** One column: the parts are tabs. */
const NARROW = matchMedia("(max-width: 48rem)");

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
  readonly #tabs: readonly HTMLElement[];
  readonly #sheet: Sheet;

  constructor(app: App, { name, title, inputLabel, input, tools, legend }: FrameOptions) {
    this.#app = app;
    const { texts } = app;
    const labels = { input: inputLabel, main: title, why: texts.t("views_why") };
    this.#tabs = PARTS.map((part) => {
      const click = (): void => this.showPart(part);
      return h("button", { type: "button", role: "tab", class: "part-tab", "data-tab": part, on: { click } }, labels[part]);
    });
    const tabList = h("div", { class: "part-tabs", role: "tablist", "aria-label": texts.t("views_parts") }, this.#tabs);
    tabList.addEventListener("keydown", (event) => moveFocus(event, this.#tabs));
    input.classList.add("input-panel");
    const main = h(
      "section",
      { class: "panel main-panel", "aria-label": title },
      h("div", { class: "panel-head" }, h("h2", {}, title), this.#summary),
      tools,
      this.#body,
      legend,
    );
    const why = h("section", { class: "panel explanation-panel", "aria-label": texts.t("views_why") }, this.#explanation);
    this.#sheet = new Sheet(why, texts);
    const [first, last] = panelEdges(texts);
    this.element = h(
      "div",
      { class: `framed ${name}-view` },
      tabList,
      h("div", { class: "panels three-panels" }, input, first, main, last, why),
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#sheet.isOpen) this.#sheet.close();
    });
    this.showPart("main");
  }

  /** Show one panel on a phone. */
  showPart(part: Part): void {
    this.element.dataset["shown"] = part;
    this.#sheet.close();
    PARTS.forEach((name, index) => {
      this.#tabs[index]?.setAttribute("aria-selected", String(name === part));
      this.#tabs[index]?.setAttribute("tabindex", name === part ? "0" : "-1");
    });
  }

  /** Show the left panel, such as after a click on a line. */
  showInput(): void {
    if (NARROW.matches) this.showPart("input");
  }

  /** Announce the explanation of a cell that was chosen, and show it if it is not in sight. */
  openExplanation(): void {
    if (NARROW.matches && this.element.dataset["shown"] === "main") this.#sheet.open();
    // The view shows the explanation when the store reports the cell.
    queueMicrotask(() => {
      const parts = [...this.#explanation.querySelectorAll<HTMLElement>(":scope > :not(section)")];
      this.#app.announce(parts.map(({ innerText }) => innerText.replace(/\s+/g, " ").trim()).join(". "));
      if (this.#sheet.isOpen) this.#body.querySelector("[role=gridcell][aria-selected=true]")?.scrollIntoView({ block: "nearest" });
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
