/** What a static site shows in place of answers that need a server: how to get them, or a button that loads the linter. */

import { h } from "../dom.js";
import type { Answers } from "../server.js";
import { siteAddress } from "../site.js";
import { type Language, Texts } from "../texts.js";
import { formatBytes } from "../units.js";
import { BrowserAnswers } from "./browser-answers.js";
import { OFFER_TEXTS, type OfferTextKey } from "./texts.js";

type Phase =
  | { readonly kind: "absent" | "offered" | "starting" }
  | { readonly kind: "loading"; readonly loaded: number }
  | { readonly kind: "failed"; readonly reason: string };

export class Offer {
  readonly #ready: (answers: Answers) => void;
  readonly #announce: (text: string) => void;
  readonly #bytes = Number(siteAddress("linter-bytes"));
  #phase: Phase = { kind: siteAddress("linter") === "" ? "absent" : "offered" };
  /** Draw the elements that are shown. */
  #shown: (() => void)[] = [];
  #texts: Texts<OfferTextKey> = new Texts("en", OFFER_TEXTS.en);

  /** `ready` is called once, when the linter is loaded. */
  constructor(ready: (answers: Answers) => void, announce: (text: string) => void) {
    this.#ready = ready;
    this.#announce = announce;
  }

  /** Use another language, in which the page is created again. */
  setLanguage(language: Language): void {
    this.#texts = new Texts(language, OFFER_TEXTS[language]);
    this.#shown = [];
  }

  /** Return what stands beside the name of the file. */
  chip(): HTMLElement {
    return this.#element("span", { class: "offer", role: "status" }, () => this.#small("offer_check"));
  }

  /** Return what replaces a view. */
  note(): HTMLElement {
    return this.#element("div", { class: "empty-state", "data-state": "no-server" }, () => {
      const texts = this.#texts;
      if (this.#phase.kind === "absent") {
        const option = h("code", {}, "--with-linter");
        return [
          h("h3", {}, texts.t("not_evaluated")),
          h("p", { class: "soft" }, texts.nodes("not_evaluated_how", { command: serveCommand(), option })),
        ];
      }
      return [h("p", {}, texts.t("offer_why")), ...this.#small("offer_view")];
    });
  }

  /** Return what replaces fetched content, which needs a server. */
  networkNote(): HTMLElement {
    return h(
      "div",
      { class: "empty-state", "data-state": "no-server" },
      h("p", { class: "soft" }, this.#texts.nodes("needs_network", { command: serveCommand() })),
    );
  }

  #element(tag: "span" | "div", attributes: Parameters<typeof h>[1], content: () => Node[]): HTMLElement {
    const element = h(tag, attributes);
    const draw = (): void => element.replaceChildren(...content());
    this.#shown.push(draw);
    draw();
    return element;
  }

  #small(button: "offer_check" | "offer_view"): Node[] {
    const texts = this.#texts;
    const size = formatBytes(this.#bytes, texts);
    const load = (text: string): HTMLElement =>
      h(
        "button",
        { type: "button", class: "button strong", "data-control": "load-linter", on: { click: () => void this.#load() } },
        text,
      );
    const soft = (text: string): HTMLElement => h("span", { class: "soft small" }, text);
    const phase = this.#phase;
    switch (phase.kind) {
      case "absent":
        return [h("span", { class: "soft small", "data-result": "no-linter" }, texts.t("no_linter"))];
      case "offered":
        return [load(texts.t(button, { size }))];
      case "loading":
        return [soft(texts.t("offer_loading", { loaded: formatBytes(Math.min(phase.loaded, this.#bytes), texts), size }))];
      case "starting":
        return [soft(texts.t("offer_starting"))];
      case "failed":
        return [soft(`${texts.t("offer_failed", { reason: phase.reason })} `), load(texts.t("offer_retry"))];
    }
  }

  async #load(): Promise<void> {
    this.#set({ kind: "loading", loaded: 0 });
    const report = (loaded: number | null): void =>
      this.#set(loaded === null ? { kind: "starting" } : { kind: "loading", loaded });
    try {
      const answers = await BrowserAnswers.load(siteAddress("linter-worker"), siteAddress("linter"), report);
      this.#ready(answers);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#set({ kind: "failed", reason });
      this.#announce(this.#texts.t("offer_failed", { reason }));
    }
  }

  #set(phase: Phase): void {
    this.#phase = phase;
    for (const draw of this.#shown) draw();
  }
}

function serveCommand(): HTMLElement {
  return h("code", {}, "canfetch serve");
}
