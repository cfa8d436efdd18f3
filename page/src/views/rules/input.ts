/** The page: pasted headers and HTML, or an address that the server fetches; and the draft of robots.txt. */

import type { App } from "../../app.js";
import { h } from "../../dom.js";
import { DraftPanel } from "../parts/draft-panel.js";
import { Segments } from "../parts/segments.js";
import type { Place } from "./source-places.js";
import type { RulesViewState } from "./state.js";

export class RulesInput {
  readonly element: HTMLElement;
  /** The draft, as one of the panes. */
  readonly file: DraftPanel;
  readonly #app: App;
  readonly #headers: HTMLTextAreaElement;
  readonly #html: HTMLTextAreaElement;
  readonly #url: HTMLInputElement;
  readonly #address: HTMLInputElement;
  readonly #panes: Segments<RulesViewState["mode"] | "file">;

  /** `fetchPage` is called when the user asks for it. */
  constructor(app: App, fetchPage: () => void) {
    this.#app = app;
    const { texts, store } = app;
    const state = store.state.rules;
    this.file = new DraftPanel(app);
    this.#headers = this.#area("headers", 6);
    this.#html = this.#area("html", 12);
    this.#url = this.#field("url", "rules-url");
    this.#address = this.#field("address", "rules-address");
    this.#address.placeholder = "https://www.example.com/page";
    const form = h(
      "form",
      {
        class: "fetch-form",
        on: {
          submit: (event) => {
            event.preventDefault();
            fetchPage();
          },
        },
      },
      label(texts.t("rules_address"), this.#address),
      h("button", { type: "submit", class: "button large", "data-control": "rules-fetch" }, texts.t("rules_fetch_button")),
      h("p", { class: "soft small" }, texts.t("rules_fetch_help")),
    );
    this.#panes = new Segments(
      texts.t("rules_input"),
      {
        paste: {
          label: texts.t("rules_pane_paste"),
          element: h(
            "div",
            { class: "panel-body paste-pane" },
            label(texts.t("rules_url"), this.#url),
            label(texts.t("rules_headers"), this.#headers),
            label(texts.t("rules_html"), this.#html),
          ),
        },
        fetch: { label: texts.t("fetch_button"), element: h("div", { class: "panel-body" }, form) },
        file: { label: texts.t("editor_label"), element: this.file.element },
      },
      (pane) => pane !== "file" && this.#set({ mode: pane }),
    );
    this.element = this.#panes.element;
    this.#panes.show(state.mode);
    let { mode } = state;
    app.on(["rules"], ({ rules }) => {
      this.#showTexts(rules);
      if (rules.mode !== mode) this.#panes.show(rules.mode);
      ({ mode } = rules);
    });
    this.#showTexts(state);
  }

  /** Select a rule in the pasted text. */
  select({ field, start, end }: Place): void {
    this.#panes.show("paste");
    const area = field === "headers" ? this.#headers : this.#html;
    area.focus();
    area.setSelectionRange(start, end);
    const line = area.value.slice(0, start).split("\n").length - 1;
    area.scrollTop = Math.max(0, line - 2) * parseFloat(getComputedStyle(area).lineHeight);
  }

  /** Show a line of the draft. */
  goTo(line: number): void {
    this.#panes.show("file");
    this.file.goTo(line);
  }

  drop(): void {
    this.file.drop();
  }

  /** Show the texts of the state, such as those of a link; not over a text that is being typed. */
  #showTexts({ headers, html, url, address }: RulesViewState): void {
    const fields = [
      [this.#headers, headers],
      [this.#html, html],
      [this.#url, url],
      [this.#address, address],
    ] as const;
    for (const [field, text] of fields) if (field !== document.activeElement && field.value !== text) field.value = text;
  }

  #set(patch: Partial<RulesViewState>): void {
    const { store } = this.#app;
    store.set({ rules: { ...store.state.rules, ...patch } });
  }

  #area(key: "headers" | "html", rows: number): HTMLTextAreaElement {
    const area = h("textarea", {
      class: "field",
      rows,
      spellcheck: "false",
      wrap: "off",
      "data-control": `rules-${key}`,
      on: { input: () => this.#set({ [key]: area.value }) },
    });
    return area;
  }

  #field(key: "url" | "address", control: string): HTMLInputElement {
    const field = h("input", {
      class: "field mono",
      type: "url",
      inputmode: "url",
      autocomplete: "off",
      spellcheck: "false",
      "data-control": control,
      on: { input: () => this.#set({ [key]: field.value }) },
    });
    return field;
  }
}

function label(text: string, field: HTMLElement): HTMLElement {
  return h("label", { class: "stacked-label" }, text, field);
}
