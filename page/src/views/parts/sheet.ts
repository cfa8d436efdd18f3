/** On a phone, the explanation as a sheet over the lower part of the screen: tap or drag its handle. */

import { h } from "../../dom.js";
import type { Texts } from "../../texts.js";

/** Pixels that count as a drag. */
const DRAG = 40;

export class Sheet {
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
