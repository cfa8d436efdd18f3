/** A panel whose body is one of several, chosen by buttons in its head. */

import { h } from "../../dom.js";

export interface Segment {
  readonly label: string;
  readonly element: HTMLElement;
}

export class Segments<Name extends string> {
  readonly element: HTMLElement;
  readonly #segments: Readonly<Record<Name, Segment>>;
  readonly #buttons = new Map<Name, HTMLButtonElement>();

  /** `onShow` is called when the user chooses a body. */
  constructor(label: string, segments: Readonly<Record<Name, Segment>>, onShow: (name: Name) => void = () => {}) {
    this.#segments = segments;
    const names = Object.keys(segments) as Name[];
    for (const name of names) {
      const click = (): void => {
        this.show(name);
        onShow(name);
      };
      const text = segments[name].label;
      this.#buttons.set(name, h("button", { type: "button", class: "segment", "data-pane": name, on: { click } }, text));
    }
    this.element = h(
      "section",
      { class: "panel segment-panel", "aria-label": label },
      h(
        "div",
        { class: "panel-head" },
        h("div", { class: "segments", role: "group", "aria-label": label }, [...this.#buttons.values()]),
      ),
      names.map((name) => segments[name].element),
    );
  }

  show(name: Name): void {
    for (const [other, button] of this.#buttons) {
      this.#segments[other].element.hidden = other !== name;
      button.setAttribute("aria-pressed", String(other === name));
    }
  }
}
