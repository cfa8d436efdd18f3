/** An edge that is dragged or moved with the arrow keys to resize what is beside it. Enter and a double click fit it. */

import { h } from "../../dom.js";

const STEP_PX = 24;

export interface Resized {
  readonly label: string;
  /** The name of the edge, as a class and for tests. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The edge is before what it resizes, so dragging it to the right makes that smaller. */
  readonly isBefore?: boolean;
  /** The width in pixels. */
  width(): number;
  setWidth(pixels: number): void;
  /** Fit the width to the content, or reset it. */
  fit(set: (pixels: number) => void): void;
}

export function resizeEdge(resized: Resized): HTMLElement {
  const { min, max, label, name } = resized;
  const sign = resized.isBefore ? -1 : 1;
  let start: { readonly x: number; readonly width: number } | null = null;
  const set = (pixels: number): void => {
    const width = Math.round(Math.min(max, Math.max(min, pixels)));
    resized.setWidth(width);
    showValue();
  };
  const showValue = (): void => edge.setAttribute("aria-valuenow", String(resized.width()));
  const edge = h("div", {
    class: name,
    role: "separator",
    tabindex: 0,
    title: label,
    "aria-label": label,
    "aria-orientation": "vertical",
    "aria-valuemin": min,
    "aria-valuemax": max,
    "aria-valuenow": min,
    "data-control": name,
    on: {
      focus: showValue,
      pointerdown: (event) => {
        start = { x: event.clientX, width: resized.width() };
        edge.setPointerCapture(event.pointerId);
        event.preventDefault();
      },
      pointermove: (event) => {
        if (start) set(start.width + sign * (event.clientX - start.x));
      },
      pointerup: () => (start = null),
      pointercancel: () => (start = null),
      dblclick: () => resized.fit(set),
      keydown: (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        if (event.key === "ArrowLeft") set(resized.width() - sign * STEP_PX);
        else if (event.key === "ArrowRight") set(resized.width() + sign * STEP_PX);
        else if (event.key === "Home") set(min);
        else if (event.key === "End" || event.key === "Enter") resized.fit(set);
        else return;
        event.preventDefault();
      },
    },
  });
  return edge;
}
