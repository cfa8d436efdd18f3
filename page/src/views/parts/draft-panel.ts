/** The draft beside a view, in the same editor as in Access. */

import type { App } from "../../app.js";
import { isInvalidUtf16 } from "../../bytes.js";
import { fill, h } from "../../dom.js";
import { editedDraft } from "../../state.js";
import { missingText } from "../../fetched-text.js";
import type { Editor, LineRemark } from "../access/editor.js";

export class DraftPanel {
  readonly element: HTMLElement;
  readonly #body: HTMLElement;
  readonly #app: App;
  #editor: Editor | null = null;
  #remarks: readonly LineRemark[] = [];
  #dropped = false;

  constructor(app: App) {
    this.#app = app;
    const { texts } = app;
    this.#body = h("div", { class: "editor" }, h("p", { class: "editor-loading soft small" }, texts.t("views_loading")));
    const missing = h("p", { class: "note warning", "data-result": "no-file" });
    this.element = h(
      "section",
      { class: "panel draft-panel", "aria-label": "robots.txt" },
      h("div", { class: "panel-head" }, h("h2", {}, "robots.txt")),
      missing,
      this.#body,
    );
    const update = (): void => {
      const text = missingText(texts, app.store.state);
      missing.hidden = text === null;
      fill(missing, text);
    };
    app.on(["source", "fetched", "edited", "closed"], update);
    update();
    app.on(["file", "bytes"], ({ file, bytes }) => {
      this.#editor?.setFile(file);
      this.#editor?.setReadOnly(isInvalidUtf16(bytes));
    });
    void this.#load();
  }

  /** Mark lines. The first of them that decides is scrolled to. */
  mark(remarks: readonly LineRemark[]): void {
    this.#remarks = remarks;
    this.#editor?.setRemarks(remarks);
    const deciding = remarks.find(({ kind }) => kind === "blocks" || kind === "allows") ?? remarks[0];
    if (deciding) this.#editor?.goTo(deciding.line, { focus: false });
  }

  /** Move the cursor to a line. */
  goTo(line: number): void {
    this.#editor?.goTo(line, { focus: true });
    this.element.scrollIntoView({ block: "nearest" });
  }

  drop(): void {
    this.#dropped = true;
    this.#editor?.destroy();
  }

  async #load(): Promise<void> {
    const { Editor } = await import("../access/editor.js");
    if (this.#dropped) return;
    const { store } = this.#app;
    this.#body.replaceChildren();
    this.#editor = new Editor({
      parent: this.#body,
      file: store.state.file,
      label: "robots.txt",
      onChange: (file, kind) => store.set(editedDraft(store.state, file, kind)),
      onLine: () => {},
      onNotes: () => {},
    });
    this.#editor.setReadOnly(isInvalidUtf16(store.state.bytes));
    this.mark(this.#remarks);
  }
}
