/** The list of the linter's notes below the editor. */

import { fill, h } from "../../dom.js";
import { codeSpans, type Note, SEVERITIES, type NotesState, sentence } from "../../notes.js";
import type { Texts } from "../../texts.js";

export interface NotesActions {
  /** Show the place of a note. */
  goTo(note: Note): void;
  fix(note: Note): void;
  close(): void;
}

export class NotesDrawer {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #actions: NotesActions;
  #notes: NotesState = { kind: "off" };

  constructor(texts: Texts, actions: NotesActions) {
    this.#texts = texts;
    this.#actions = actions;
    this.element = h("div", {
      class: "notes",
      hidden: true,
      on: {
        keydown: (event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          actions.close();
        },
      },
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  setOpen(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    if (isOpen) this.#fill();
  }

  setNotes(notes: NotesState): void {
    this.#notes = notes;
    if (this.isOpen) this.#fill();
  }

  /** Focus the first note on a line, or the first of all. */
  focusNote(line: number): void {
    const index = inOrder(notesOf(this.#notes)).findIndex((note) => note.line === line);
    const item = this.element.querySelectorAll<HTMLElement>("li")[Math.max(0, index)];
    item?.scrollIntoView({ block: "nearest" });
    (item?.querySelector<HTMLElement>("button[data-fix]") ?? item?.querySelector<HTMLElement>("button"))?.focus();
  }

  #fill(): void {
    const texts = this.#texts;
    const notes = inOrder(notesOf(this.#notes));
    const failed = this.#notes.kind === "failed" ? this.#notes.reason : null;
    fill(
      this.element,
      h(
        "div",
        { class: "notes-head" },
        h("h3", {}, texts.t("notes_title")),
        h(
          "button",
          { type: "button", class: "button plain push", on: { click: () => this.#actions.close() } },
          texts.t("close_button"),
        ),
      ),
      failed ? h("p", { class: "note error" }, failed) : null,
      notes.length === 0 && !failed ? h("p", { class: "soft small" }, texts.t("notes_empty")) : null,
      h("ul", { class: "note-list" }, notes.map((note) => this.#item(note))),
    );
  }

  #item(note: Note): HTMLElement {
    const texts = this.#texts;
    return h(
      "li",
      { class: `note-item ${note.severity}`, "data-code": note.code, "data-line": note.line },
      h(
        "button",
        { type: "button", class: "note-line", on: { click: () => this.#actions.goTo(note) } },
        h("span", { class: "mark", "aria-hidden": "true" }),
        texts.t("line_number", { line: note.line }),
      ),
      h(
        "div",
        {},
        h("p", {}, h("strong", { class: "severity" }, texts.t(`note_${note.severity}`)), " ", codeSpans(sentence(note.message, texts.language))),
        note.effect ? h("p", { class: "soft" }, codeSpans(sentence(note.effect, texts.language))) : null,
        h("p", { class: "soft" }, codeSpans(note.howToFix), " ", h("span", { class: "code" }, note.code)),
        note.fix
          ? h(
              "button",
              { type: "button", class: "button", "data-fix": note.code, on: { click: () => this.#actions.fix(note) } },
              texts.t(note.fix.changesVerdicts ? "note_unsafe_fix" : "note_fix"),
            )
          : null,
      ),
    );
  }
}

/** Errors first, then warnings and notes, each by line. */
function inOrder(notes: readonly Note[]): Note[] {
  const rank = ({ severity }: Note): number => SEVERITIES.indexOf(severity);
  return [...notes].sort((a, b) => rank(a) - rank(b) || a.line - b.line);
}

/** The notes of a state; none while the linter runs. */
export function notesOf(state: NotesState): readonly Note[] {
  return state.kind === "ready" ? state.notes : [];
}
