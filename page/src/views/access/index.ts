/** The view that decides: the file, the verdicts, and why. */

import type { App, View } from "../../app.js";
import type { Cell } from "../../state.js";
import { ThreePanels } from "../parts/three-panels.js";
import { filePanel } from "./file-panel.js";
import { verdictPanel } from "./verdict-panel.js";
import { whyPanel } from "./why-panel.js";

export function accessView(app: App): View {
  const { store, texts } = app;
  const file = filePanel(app);
  const verdicts = verdictPanel(app, explain);
  const why = whyPanel(app, (line) => goTo(line), () => app.copyLink());
  const panels = new ThreePanels(texts, "access", texts.t("parts_label"), [
    { name: "file", label: texts.t("part_file"), panel: file.element },
    { name: "verdicts", label: texts.t("verdicts_title"), panel: verdicts.element },
    { name: "why", label: texts.t("views_why"), panel: why },
  ]);

  function explain(cell: Cell): void {
    const { selected } = store.state;
    const isSame = selected?.url === cell.url && selected.crawler === cell.crawler;
    if (!isSame) store.set({ selected: cell });
    panels.openSheet();
  }

  function goTo(line: number): void {
    panels.showInput();
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
  why.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") verdicts.focusGrid();
  });
  return { element: panels.element, drop: () => file.drop() };
}
