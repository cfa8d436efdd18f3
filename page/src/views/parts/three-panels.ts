/** Three panels side by side, with edges between them. On a phone they are tabs, and the last one is also a sheet. */

import { h } from "../../dom.js";
import { moveFocus } from "../../shell.js";
import type { Texts } from "../../texts.js";
import { resizeEdge } from "./resize-edge.js";

/** The panels in their order: each is a class, and what `data-shown` says on a phone. */
const PARTS = ["input", "main", "explanation"] as const;
type Part = (typeof PARTS)[number];

/** One column: the parts are tabs. */
const NARROW = matchMedia("(max-width: 48rem)");

const MIN_PX = 200;
const MAX_PX = 1600;
/** The middle panel keeps a part of the window. */
const MOST = { "first-panel": "38%", "last-panel": "31%" } as const;
/** Pixels that count as a drag. */
const DRAG = 40;

export interface Tab {
  /** The name of the tab for tests. */
  readonly name: string;
  readonly label: string;
  readonly panel: HTMLElement;
}

export class ThreePanels {
  readonly element: HTMLElement;
  readonly #tabs: readonly HTMLElement[];
  readonly #sheet: Sheet;

  /** The class of the view is `name`, and `label` is the name of the list of tabs. */
  constructor(texts: Texts, name: string, label: string, tabs: readonly [Tab, Tab, Tab]) {
    this.#tabs = PARTS.map((part, index) => {
      const { name, label, panel } = tabs[index]!;
      panel.classList.add(`${part}-panel`);
      const click = (): void => this.showPart(part);
      return h("button", { type: "button", role: "tab", class: "part-tab", "data-tab": name, on: { click } }, label);
    });
    const tabList = h("div", { class: "part-tabs", role: "tablist", "aria-label": label }, this.#tabs);
    tabList.addEventListener("keydown", (event) => moveFocus(event, this.#tabs));
    const [first, main, last] = tabs.map(({ panel }) => panel);
    this.#sheet = new Sheet(last!, texts);
    const [firstEdge, lastEdge] = panelEdges(texts);
    const panels = h("div", { class: "panels three-panels" }, first, firstEdge, main, lastEdge, last);
    this.element = h("div", { class: `framed ${name}` }, tabList, panels);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#sheet.close();
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

  /** Show the first panel, such as after a click on a line. */
  showInput(): void {
    if (NARROW.matches) this.showPart("input");
  }

  /** Show the explanation over the panel in the middle, if there is no place beside it. */
  openSheet(): void {
    if (NARROW.matches && this.element.dataset["shown"] === "main") this.#sheet.open();
  }

  get isSheetOpen(): boolean {
    return this.#sheet.isOpen;
  }
}

/**
 * Return the edges after the first panel and before the last one. The middle panel has the rest.
 *
 * All views share the widths, which last until the page is loaded again.
 */
function panelEdges(texts: Texts): readonly [HTMLElement, HTMLElement] {
  const { style } = document.documentElement;
  const edge = (name: "first-panel" | "last-panel", label: string, panel: () => Element | null): HTMLElement =>
    resizeEdge({
      label,
      name: `${name}-edge`,
      min: MIN_PX,
      max: MAX_PX,
      isBefore: name === "last-panel",
      width: () => Math.round(panel()?.getBoundingClientRect().width ?? 0),
      setWidth: (pixels) => style.setProperty(`--${name}`, `min(${pixels}px, ${MOST[name]})`),
      fit: () => style.removeProperty(`--${name}`),
    });
  const first: HTMLElement = edge("first-panel", texts.t("panel_edge_first"), () => first.previousElementSibling);
  const last: HTMLElement = edge("last-panel", texts.t("panel_edge_last"), () => last.nextElementSibling);
  return [first, last];
}

/** On a phone, the explanation as a sheet over the lower part of the screen: tap or drag its handle. */
class Sheet {
  readonly #panel: HTMLElement;

  constructor(panel: HTMLElement, texts: Texts) {
    this.#panel = panel;
    let start: number | null = null;
    const handle = h("button", {
      type: "button",
      class: "sheet-handle",
      "aria-label": texts.t("close_button"),
      on: {
        click: () => this.close(),
        pointerdown: (event) => {
          start = event.clientY;
          handle.setPointerCapture(event.pointerId);
        },
        pointerup: (event) => {
          if (start === null) return;
          const moved = event.clientY - start;
          start = null;
          if (moved > DRAG) this.close();
          else if (moved < -DRAG) panel.classList.add("tall");
        },
      },
    });
    panel.prepend(handle);
  }

  get isOpen(): boolean {
    return this.#panel.classList.contains("open");
  }

  open(): void {
    this.#panel.classList.add("open");
  }

  close(): void {
    this.#panel.classList.remove("open", "tall");
  }
}
