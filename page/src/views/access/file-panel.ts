/** The file: the editor, and what can be done with the text. */

import type { FixedFile, FormattedFile } from "../../api-types.js";
import type { App } from "../../app.js";
import { fromContent, isInvalidUtf16, readBytes } from "../../bytes.js";
import { save } from "../../clipboard.js";
import { fill, h } from "../../dom.js";
import { openDialog, prefetch } from "../../on-demand.js";
import { applyEdits, type Note, Notes, type NotesState, robotsUrl } from "../../notes.js";
import { RECIPES } from "../../recipes.js";
import { editedDraft, loadedFile, shownAnswer, type State } from "../../state.js";
import { isCut, limitText, missingText, restText, sizeText } from "../../fetched-text.js";
import { draftContent } from "../parts/draft.js";
import { failureText } from "../parts/problems.js";
import type { Editor, LineRemark } from "./editor.js";
import { isBinary, isMarkup } from "./file-content.js";
import { readersSentence } from "./line-readers.js";
import { lineRemarks } from "./line-remarks.js";
import { NotesDrawer, notesOf } from "./notes-drawer.js";

export interface FilePanel {
  readonly element: HTMLElement;
  /** Show a line, and move the cursor there. */
  goTo(line: number, focus: boolean): void;
  focus(): void;
  drop(): void;
}

const loadFacts = () => import("./facts-dialog.js");

/** The editor waits for the first verdicts, but not for long. */
const EDITOR_PATIENCE_MS = 1500;

export function filePanel(app: App): FilePanel {
  const { store, texts, verdicts, answers } = app;
  const { results } = verdicts;
  let editor: Editor | null = null;
  let isDropped = false;
  let notes: NotesState = { kind: "off" };
  /** The draft that "Fix" left as it was. */
  let unfixable: Pick<State, "file" | "bytes"> | null = null;
  /** The line to show once the editor is loaded. */
  let target: { line: number; focus: boolean } | null = null;

  const chip = h("button", {
    type: "button",
    class: "chip notes-chip",
    "data-control": "notes",
    "aria-expanded": "false",
    on: { click: () => void chipClicked() },
  });
  const button = (control: string, click: () => void): HTMLButtonElement =>
    h("button", { type: "button", class: "button plain", "data-control": control, on: { click } });
  const format = button("format", () => void rewrite("format"));
  const fix = button("fix", () => void rewrite("fix"));
  const open = button("open", () => file.click());
  const download = button("save", () => save("robots.txt", store.state.bytes?.slice() ?? store.state.file));
  const facts = button("facts", () => void openDialog(app, loadFacts(), ({ showFacts }) => void showFacts(app, showLine)));
  const showLine = (line: number): void => goTo(line, true);
  void verdicts.started.then(() => prefetch([loadFacts]));
  facts.textContent = texts.t("facts_button");
  format.textContent = texts.t("format_button");
  open.textContent = texts.t("open_button");
  download.textContent = texts.t("save_button");
  const file = h("input", {
    type: "file",
    accept: ".txt,text/plain",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    "data-control": "file",
    on: { change: () => void openFile() },
  });
  const host = h("div", { class: "editor" }, h("p", { class: "soft small editor-loading" }, texts.t("editor_loading")));
  const empty = h("div", { class: "empty-file", hidden: true });
  const drawer = new NotesDrawer(texts, {
    goTo: (note) => editor?.goTo(note.line, { focus: true, from: note.from }),
    fix: applyFix,
    close: closeNotes,
  });
  /** The list of notes was opened in the editor, which gets the focus back. */
  let isOpenedInEditor = false;
  const readers = h("span", { class: "readers", "data-readers": true });
  const sizes = h("span", { class: "soft push sizes" });
  const banner = h("p", { class: "note error file-banner", hidden: true, role: "status", "data-result": "markup" });
  const locked = h(
    "div",
    { class: "note warning file-banner", hidden: true, "data-result": "locked" },
    h("p", {}, texts.t("file_locked")),
    h(
      "button",
      { type: "button", class: "button", "data-control": "start-empty", on: { click: () => startEmpty() } },
      texts.t("file_start_empty"),
    ),
  );
  const limit = h("p", { class: "note warning limit", hidden: true });

  const element = h(
    "section",
    { class: "panel file-panel", "data-part": "file", "aria-label": texts.t("part_file") },
    h(
      "div",
      { class: "panel-head" },
      h("h2", {}, "robots.txt"),
      chip,
      answers ? facts : (app.offer?.chip() ?? null),
      h("span", { class: "push head-buttons" }, fix, format, open, download, file),
    ),
    banner,
    locked,
    host,
    empty,
    limit,
    drawer.element,
    h("div", { class: "panel-foot" }, readers, sizes),
  );

  // --- the editor ---

  void loadEditor().then((EditorClass) => {
    if (isDropped) return;
    fill(host);
    editor = new EditorClass({
      parent: host,
      file: store.state.file,
      label: texts.t("editor_label"),
      onChange: (text, kind) => store.set(editedDraft(store.state, text, kind)),
      onLine: (line) => void verdicts.setLine(line),
      onNotes: (line) => showNotes(line),
    });
    updateRemarks();
    updateNotes();
    updateInfo();
    updateEmpty();
    if (target) goTo(target.line, target.focus);
    else void verdicts.setLine(editor.line);
    element.dataset["editor"] = "ready";
  });

  /** The editor is most of the page's script, so the first verdicts are painted before it starts. */
  async function loadEditor(): Promise<typeof Editor> {
    await Promise.race([verdicts.started.then(nextTask), pause(EDITOR_PATIENCE_MS)]);
    return (await import("./editor.js")).Editor;
  }

  const goTo = (line: number, focus: boolean): void => {
    target = { line, focus };
    editor?.goTo(line, { focus });
  };

  function updateRemarks(): void {
    const { explained, differs, question } = results.state;
    const remarks: readonly LineRemark[] =
      explained && !store.state.closed ? lineRemarks(explained, isDiffering(differs, question, explained.cell), app) : [];
    editor?.setRemarks(remarks);
  }

  function updateInfo(): void {
    const { info } = results.state;
    if (!info) {
      sizes.textContent = "";
      limit.hidden = true;
      return;
    }
    const { file, bytes } = store.state;
    // The engine counts the bytes of UTF-8, and the lines that it reads.
    const size = bytes?.length ?? info.bytes + info.unreadBytes;
    const lines = info.firstUnreadLine === null ? info.lineCount : file.replace(/\n$/, "").split("\n").length;
    const parts = [
      sizeText(texts, store.state, size),
      texts.t("file_lines", { count: lines }),
      texts.t("file_groups", { count: info.groups.length }),
    ];
    sizes.textContent = parts.join(", ");
    editor?.setLimit(info.firstUnreadLine ?? 0);
    const line = info.firstUnreadLine;
    // Reading stops at the end of what is fetched of a longer file.
    const rest = restText(texts, isCut(store.state));
    const cut = rest ?? (line === null ? null : texts.nodes("file_cut", { line, size: limitText(texts) }));
    limit.hidden = cut === null;
    fill(limit, cut);
  }

  function updateReaders(): void {
    const { readers: found } = results.state;
    fill(readers, found ? readersSentence(texts, found, store.state.crawlers.length) : "");
  }

  function updateEmpty(): void {
    const { file: text, source } = store.state;
    const content = isMarkup(text) ? "file_markup" : isBinary(text) ? "file_binary" : null;
    banner.hidden = content === null;
    banner.textContent = content === null ? "" : texts.t(content);
    const isLocked = isInvalidUtf16(store.state.bytes);
    locked.hidden = !isLocked;
    editor?.setReadOnly(isLocked);
    element.classList.toggle("locked", isLocked);
    const missing = missingText(texts, store.state);
    const isEmpty = text.trim() === "" && source !== "fetched";
    empty.hidden = !isEmpty && missing === null;
    if (missing !== null) fill(empty, h("p", { "data-result": "no-file" }, missing));
    if (!isEmpty || missing !== null) return;
    fill(
      empty,
      h("p", {}, texts.t("empty_file")),
      h("p", { class: "soft small" }, texts.t("recipes_label")),
      h(
        "div",
        { class: "recipes" },
        RECIPES.map(({ name, text }) =>
          h(
            "button",
            {
              type: "button",
              class: "button",
              "data-control": `recipe-${name}`,
              on: { click: () => change(text, texts.t(`recipe_${name}`)) },
            },
            texts.t(`recipe_${name}`),
          ),
        ),
      ),
    );
  }

  /** Replace the text as an edit that can be undone. */
  function change(text: string, message: string): void {
    store.set(editedDraft(store.state, text, "edit"));
    app.toast(message);
  }

  function startEmpty(): void {
    store.set(loadedFile(store.state, { text: "", bytes: null, name: "" }, "pasted"));
    editor?.focus();
  }

  async function openFile(): Promise<void> {
    const chosen = file.files?.[0];
    file.value = "";
    if (!chosen) return;
    const content = readBytes(new Uint8Array(await chosen.arrayBuffer()));
    store.set(loadedFile(store.state, { ...content, name: chosen.name }, "opened"));
  }

  // --- the notes ---

  function updateNotes(): void {
    const list = notesOf(notes);
    const worst = list.some(({ severity }) => severity === "error")
      ? "error"
      : list.some(({ severity }) => severity === "warning")
        ? "warning"
        : "calm";
    const isAsked = notes.kind === "on-request" || notes.kind === "failed";
    chip.className = isAsked ? "button strong" : `chip notes-chip ${worst}`;
    chip.hidden = notes.kind === "off";
    chip.dataset["state"] = notes.kind;
    // Fixes that wait for another one, which changes verdicts, turn out when they are tried.
    const isTried = notes.kind === "ready" && unfixable?.file === notes.file && unfixable.bytes === notes.bytes;
    const safe = isTried ? 0 : list.filter((note) => note.fix?.safe).length;
    // An invisible button keeps its place, so that the others do not move.
    fix.hidden = !answers;
    fix.classList.toggle("invisible", safe === 0);
    fix.textContent = texts.t("fix_button", { count: safe });
    format.hidden = !answers;
    if (notes.kind === "ready") {
      fill(chip, worst === "calm" ? null : h("span", { class: "mark", "aria-hidden": "true" }), noteCount(list.length));
    } else {
      const key = { pending: "notes_pending", failed: "notes_failed", "on-request": "notes_on_request", off: "notes_none" } as const;
      fill(chip, texts.t(key[notes.kind]));
    }
    if (notes.kind !== "pending") {
      editor?.setNotes(list, { fix: texts.t("note_fix"), unsafeFix: texts.t("note_unsafe_fix") }, applyFix);
    }
    drawer.setNotes(notes);
  }

  function noteCount(count: number): string {
    return count === 0 ? texts.t("notes_none") : texts.t("notes_count", { count });
  }

  async function chipClicked(): Promise<void> {
    if (notes.kind === "on-request" || notes.kind === "failed") await linter.ask();
    else {
      isOpenedInEditor = false;
      setDrawer(!drawer.isOpen);
    }
  }

  function closeNotes(): void {
    setDrawer(false);
    if (isOpenedInEditor) editor?.focus();
    else chip.focus();
  }

  function showNotes(line: number): void {
    isOpenedInEditor = true;
    setDrawer(true);
    drawer.focusNote(line);
  }

  function setDrawer(isOpen: boolean): void {
    drawer.setOpen(isOpen);
    chip.setAttribute("aria-expanded", String(isOpen));
  }

  function applyFix(note: Note): void {
    // The places of a fix are those of the text that was checked.
    if (!note.fix || isInvalidUtf16(store.state.bytes) || notes.kind !== "ready" || notes.file !== store.state.file || notes.bytes !== store.state.bytes) return;
    change(applyEdits(store.state.file, note.fix.edits), texts.t("note_fixed", { line: note.line }));
    editor?.focus();
  }

  async function rewrite(path: "format" | "fix"): Promise<void> {
    const { file, bytes, address } = store.state;
    const content = draftContent({ file, bytes });
    try {
      const body = path === "fix" ? { ...content, language: texts.language, ...robotsUrl(address) } : content;
      const answer = await answers?.post<FixedFile | FormattedFile>(path, body);
      if (!answer || store.state.file !== file || store.state.bytes !== bytes) return;
      if (answer.changed) {
        change(readBytes(fromContent(answer)).text, "fixed" in answer ? texts.t("fixed", { count: answer.fixed.length }) : texts.t("formatted"));
      } else if (path === "fix") {
        unfixable = { file, bytes };
        updateNotes();
        app.toast(texts.t("fixed_nothing"));
      } else {
        app.toast(texts.t("format_unchanged"));
      }
    } catch (error) {
      const text = failureText(texts, error);
      app.toast(text);
      app.announce(text, "error");
    }
  }

  const linter = new Notes(app, (state) => {
    notes = state;
    updateNotes();
  });
  app.on(["file", "bytes"], () => {
    const { file: text, replaced } = store.state;
    // A file that is fetched again for another edition is the same step.
    editor?.setFile(text, shownAnswer(store.state) ? (replaced?.file ?? text) : undefined);
    if (notes.kind === "ready") chip.dataset["state"] = "pending";
    updateEmpty();
  });
  app.on(["source", "closed", "fetched", "edited"], () => {
    updateInfo();
    updateEmpty();
    updateRemarks();
  });
  app.onResults(["explained", "differs"], updateRemarks);
  app.onResults(["info"], updateInfo);
  app.onResults(["readers"], updateReaders);
  updateEmpty();
  updateNotes();
  updateInfo();
  updateReaders();

  return {
    element,
    goTo,
    focus: () => editor?.focus(),
    drop: () => {
      isDropped = true;
      linter.drop();
      editor?.destroy();
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** Wait until the next frame is painted. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => void requestAnimationFrame(() => setTimeout(resolve, 0)));
}

function isDiffering(
  differs: Uint8Array | null,
  question: { readonly crawlers: readonly string[] } | null,
  cell: { readonly url: number; readonly crawler: number },
): boolean {
  return question !== null && differs?.[cell.url * question.crawlers.length + cell.crawler] === 1;
}
