/** The view that decides: the file, the verdicts, and why. */

import type { App, View } from "../../app.js";
import { h } from "../../dom.js";
import { moveFocus } from "../../shell.js";
import type { Cell } from "../../state.js";
import { panelEdges } from "../parts/panel-edges.js";
import { filePanel } from "./file-panel.js";
import { Sheet } from "./sheet.js";
import { verdictPanel } from "./verdict-panel.js";
import { whyPanel } from "./why-panel.js";

const PARTS = ["file", "verdicts", "why"] as const;
type Part = (typeof PARTS)[number];

/** One column: the parts are tabs. */
const NARROW = matchMedia("(max-width: 48rem)");

export function accessView(app: App): View {
  const { store, texts } = app;
  const file = filePanel(app);
  const verdicts = verdictPanel(app, explain);
  const why = whyPanel(app, (line) => goTo(line), () => app.copyLink());
  const sheet = new Sheet(why, texts);

  const tabs = PARTS.map((part) =>
    h(
      "button",
      { type: "button", role: "tab", class: "part-tab", "data-tab": part, on: { click: () => showPart(part) } },
      texts.t(`part_${part}`),
    ),
  );
  const tabList = h("div", { class: "part-tabs", role: "tablist", "aria-label": texts.t("parts_label") }, tabs);
  tabList.addEventListener("keydown", (event) => moveFocus(event, tabs));
  const [first, last] = panelEdges(texts);
  const columns = h("div", { class: "columns three-panels" }, file.element, first, verdicts.element, last, why);
  const element = h("div", { class: "access" }, tabList, columns);

  function showPart(part: Part): void {
    element.dataset["shown"] = part;
    sheet.close();
    PARTS.forEach((name, index) => {
      tabs[index]?.setAttribute("aria-selected", String(name === part));
      tabs[index]?.setAttribute("tabindex", name === part ? "0" : "-1");
    });
  }

  function explain(cell: Cell): void {
    const { selected } = store.state;
    const isSame = selected?.url === cell.url && selected.crawler === cell.crawler;
    if (!isSame) store.set({ selected: cell });
    if (NARROW.matches && element.dataset["shown"] === "verdicts") sheet.open();
  }

  function goTo(line: number): void {
    if (NARROW.matches) showPart("file");
    file.goTo(line, true);
  }

  // The deciding line of a newly selected cell is shown; not while its text is edited.
  let shown: Cell | null = null;
  app.onResults(["explained"], ({ explained }) => {
    if (!explained || explained.cell === shown) return;
    shown = explained.cell;
    const line = explained.explanation.rule?.line ?? explained.explanation.group.lines[0];
    if (line !== undefined) file.goTo(line, false);
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !(event.target instanceof HTMLElement)) return;
    if (sheet.isOpen) sheet.close();
    if (why.contains(event.target)) verdicts.focusGrid();
  });
  showPart("verdicts");
  return { element, drop: () => file.drop() };
}
