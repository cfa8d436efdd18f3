/** One polite and one assertive live region, and the message at the bottom of the page. */

import { h } from "./dom.js";

/** A change is announced after this time without another one. */
export const QUIET_MS = 1000;
const TOAST_MS = 4000;

export class LiveRegion {
  readonly #polite = h("div", { role: "status", class: "visually-hidden", "data-live": "polite" });
  readonly #error = h("div", { role: "alert", class: "visually-hidden", "data-live": "error" });
  readonly #toast = h("div", { class: "toast", hidden: true, "aria-hidden": "true" });
  readonly element = h("div", {}, this.#polite, this.#error, this.#toast);
  #timer = 0;
  #toastTimer = 0;

  /** Announce a text a second after the last one, so that typing is not interrupted. */
  announce(text: string, urgency: "polite" | "error" = "polite"): void {
    if (urgency === "error") {
      this.#error.textContent = text;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#polite.textContent = text;
    }, QUIET_MS);
  }

  toast(text: string): void {
    this.announce(text);
    this.#toast.textContent = text;
    this.#toast.hidden = false;
    clearTimeout(this.#toastTimer);
    this.#toastTimer = window.setTimeout(() => {
      this.#toast.hidden = true;
    }, TOAST_MS);
  }
}
