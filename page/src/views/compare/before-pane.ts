/** Chooses the file that the draft is compared with: the loaded or the live one, a pasted text, or a file. */

import type { App } from "../../app.js";
import { h } from "../../dom.js";
import type { FetchedFile } from "../../api-types.js";
import { fetchedText, missingText, restText } from "../../fetched-text.js";
import { failureText } from "../parts/problems.js";
import { fromContent, readBytes, toBase64, toLf } from "../../bytes.js";
import { edition } from "../../profiles.js";
import { beforeOf, isCutBefore } from "./before.js";
import type { CompareViewState } from "./state.js";

const DELAY_MS = 250;

export function beforePane(app: App): HTMLElement {
  const { texts, store, server, on } = app;
  const set = (patch: Partial<CompareViewState>): void => {
    store.set({ compare: { ...store.state.compare, ...patch } });
  };
  let timer = 0;
  let request: AbortController | null = null;
  const label = h("p", { class: "before-name", role: "status", "data-result": "before" });
  const text = h("textarea", {
    class: "field",
    rows: 14,
    wrap: "off",
    spellcheck: "false",
    "data-control": "compare-before",
    "aria-label": texts.t("compare_before_text"),
    on: {
      input: () => {
        clearTimeout(timer);
        timer = window.setTimeout(() => set({ source: "pasted", before: toLf(text.value), encoded: null, name: "" }), DELAY_MS);
      },
    },
  });
  const file = h("input", {
    type: "file",
    accept: ".txt,text/plain",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    "data-control": "compare-file",
    on: { change: () => void openFile() },
  });
  const button = (control: string, words: string, click: () => void): HTMLButtonElement =>
    h("button", { type: "button", class: "button", "data-control": control, on: { click } }, words);
  const loaded = button("compare-loaded", texts.t("compare_loaded"), () => set({ source: "loaded", before: "", encoded: null, name: "" }));

  async function openFile(): Promise<void> {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) set({ source: "opened", ...read(new Uint8Array(await chosen.arrayBuffer())), name: chosen.name });
  }

  async function fetchLive(): Promise<void> {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    const { address, profile } = store.state;
    label.textContent = texts.t("views_loading");
    try {
      const answer = await server?.post<FetchedFile>("fetch", { url: address, refresh: true, ...edition(profile) }, signal);
      if (!answer || signal.aborted) return;
      if (answer.access === "unreachable" || answer.content === null) {
        report(fetchedText(texts, answer));
        return;
      }
      const { content, content_encoding } = answer;
      set({ source: "live", ...read(fromContent({ content, content_encoding })), name: answer.robots_url });
    } catch (error) {
      if (!signal.aborted) report(failureText(texts, error));
    }
  }

  /** Show why there is no live file, before what the draft is still compared with. */
  function report(problem: string): void {
    update();
    label.textContent = `${problem} ${label.textContent}`;
    app.announce(problem, "error");
  }

  function update(): void {
    const before = beforeOf(store.state);
    const missing = store.state.compare.source === "loaded" ? missingText(texts, store.state) : null;
    const named = missing ?? texts.t(`compare_before_${before.kind}`, { name: before.name });
    const rest = restText(texts, isCutBefore(before));
    label.textContent = rest === null ? named : `${named} ${rest}`;
    if (document.activeElement !== text) text.value = before.text;
    loaded.hidden = store.state.compare.source === "loaded";
  }
  on(["compare", "loaded", "source", "edited", "fetched", "closed"], update);
  update();

  return h(
    "div",
    { class: "panel-body before-pane" },
    label,
    h(
      "div",
      { class: "before-buttons" },
      server ? button("compare-live", texts.t("compare_fetch_live"), () => void fetchLive()) : null,
      button("compare-open", texts.t("compare_open"), () => file.click()),
      loaded,
      file,
    ),
    text,
  );
}

function read(content: Uint8Array): Pick<CompareViewState, "before" | "encoded"> {
  const { text, bytes } = readBytes(content);
  return { before: text, encoded: toBase64(bytes) };
}
