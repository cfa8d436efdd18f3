/** The edge of the column of URLs, which is dragged or moved with the arrow keys. Enter and a double click fit the URLs. */

import { h } from "../../dom.js";

const MIN_PX = 96;
const MAX_PX = 2000;
const STEP_PX = 24;

export interface ResizedColumn {
  readonly label: string;
  /** The width in pixels. */
  width(): number;
  /** The width at which no visible URL is cut off. */
  fittingWidth(): number;
  setWidth(pixels: number): void;
}

export function columnEdge(column: ResizedColumn): HTMLElement {
  let start: { readonly x: number; readonly width: number } | null = null;
  const set = (pixels: number): void => {
    const width = Math.round(Math.min(MAX_PX, Math.max(MIN_PX, pixels)));
    column.setWidth(width);
    edge.setAttribute("aria-valuenow", String(width));
  };
  const edge = h("div", {
    class: "column-edge",
    role: "separator",
    tabindex: 0,
    title: column.label,
    "aria-label": column.label,
    "aria-orientation": "vertical",
    "aria-valuemin": MIN_PX,
    "aria-valuemax": MAX_PX,
    "aria-valuenow": 194,
    "data-control": "column-edge",
    on: {
      pointerdown: (event) => {
        start = { x: event.clientX, width: column.width() };
        edge.setPointerCapture(event.pointerId);
        event.preventDefault();
      },
      pointermove: (event) => {
        if (start) set(start.width + event.clientX - start.x);
      },
      pointerup: () => (start = null),
      pointercancel: () => (start = null),
      dblclick: () => set(column.fittingWidth()),
      keydown: (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        if (event.key === "ArrowLeft") set(column.width() - STEP_PX);
        else if (event.key === "ArrowRight") set(column.width() + STEP_PX);
        else if (event.key === "Home") set(MIN_PX);
        else if (event.key === "End" || event.key === "Enter") set(column.fittingWidth());
        else return;
        event.preventDefault();
      },
    },
  });
  return edge;
}
