/** The edges between the three panels of a view. All views share the widths, which last until the page is loaded again. */

import type { Texts } from "../../texts.js";
import { resizeEdge } from "./resize-edge.js";

const MIN_PX = 200;
const MAX_PX = 1600;
/** The middle panel keeps a part of the window. */
const MOST = { "first-panel": "38%", "last-panel": "31%" } as const;

/** Return the edges after the first panel and before the last one. The middle panel has the rest. */
export function panelEdges(texts: Texts): readonly [HTMLElement, HTMLElement] {
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
