/** The editor: CodeMirror in a shadow root, so that its style sheets work under the page's policy without a nonce. */

import { defaultKeymap, history, historyKeymap, isolateHistory, undo } from "@codemirror/commands";
import { type Action, type Diagnostic, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField, type Text, Transaction } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  gutter,
  gutterLineClass,
  GutterMarker,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from "@codemirror/view";

import type { Note } from "../../notes.js";
import type { EditKind } from "../../state.js";
import { rawByte } from "../parts/raw-bytes.js";
import { editorTheme } from "./editor-theme.js";
import { robotsMode } from "./robots-mode.js";

/** What a line is for the selected cell. */
export interface LineRemark {
  readonly line: number;
  readonly kind: "group" | "matches" | "blocks" | "allows";
  /** Shown at the right of the line. */
  readonly text: string;
}

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly file: string;
  readonly label: string;
  onChange(file: string, kind: EditKind): void;
  /** The cursor is on another line, counted from 1. */
  onLine(line: number): void;
  /** A mark in the margin was chosen, or Ctrl+. was pressed. */
  onNotes(line: number): void;
}

export interface EditorTexts {
  readonly fix: string;
  readonly unsafeFix: string;
}

const readOnly = new Compartment();
const fromOutside = Annotation.define<boolean>();
const setRemarks = StateEffect.define<readonly LineRemark[]>();
const setLimit = StateEffect.define<number>();
const setMarks = StateEffect.define<readonly Note[]>();

class NoteMarker extends GutterMarker {
  constructor(readonly severity: Note["severity"]) {
    super();
  }

  override eq(other: NoteMarker): boolean {
    return other.severity === this.severity;
  }

  override toDOM(): Node {
    return markElement(`mark mark-${this.severity}`);
  }
}

class VerdictMarker extends GutterMarker {
  constructor(readonly kind: "blocks" | "allows") {
    super();
  }

  override eq(other: VerdictMarker): boolean {
    return other.kind === this.kind;
  }

  override toDOM(): Node {
    return markElement(`mark-verdict ${this.kind}`);
  }
}

function markElement(className: string): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  return element;
}

const remarkField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let result = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setRemarks)) result = remarkDecorations(transaction.state, effect.value);
    }
    return result;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const verdictMarkField = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    let result = markers.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setRemarks)) continue;
      const deciding = effect.value.find(({ kind }) => kind === "blocks" || kind === "allows");
      const line = deciding && lineAt(transaction.state, deciding.line);
      result = line
        ? RangeSet.of([new VerdictMarker(deciding.kind as "blocks" | "allows").range(line.from)])
        : RangeSet.empty;
    }
    return result;
  },
});

class LineClass extends GutterMarker {
  constructor(override readonly elementClass: string) {
    super();
  }

  override eq(other: LineClass): boolean {
    return other.elementClass === this.elementClass;
  }
}

/** The margin has the colour of its line. */
const marginField = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    let result = markers.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setRemarks)) continue;
      const builder = new RangeSetBuilder<GutterMarker>();
      for (const [from, { kind }] of remarkedLines(transaction.state, effect.value)) {
        builder.add(from, from, new LineClass(`line-${kind}`));
      }
      result = builder.finish();
    }
    return result;
  },
  provide: (field) => gutterLineClass.from(field),
});

const noteMarkField = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    let result = markers.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) result = noteMarkers(transaction.state, effect.value);
    }
    return result;
  },
});

/** Lines past the size limit are pale, and a rule is drawn above the first of them. */
const limitField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let result = decorations.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLimit)) continue;
      const line = effect.value > 0 ? lineAt(transaction.state, effect.value) : null;
      result = line ? Decoration.set([Decoration.line({ class: "line-limit" }).range(line.from)]) : Decoration.none;
    }
    return result;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  readonly #view: EditorView;
  readonly #host: HTMLElement;
  readonly #options: EditorOptions;
  #file: string;
  #line = 0;
  /** What `setRemarks` was given last, and the text that it was about. */
  #remarked: { doc: Text; remarks: readonly LineRemark[] } | null = null;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#host = document.createElement("div");
    this.#host.className = "editor-host";
    options.parent.append(this.#host);
    const root = this.#host.attachShadow({ mode: "open" });
    this.#view = new EditorView({ root, parent: root, state: this.#state(options.file) });
  }

  /** The text as it was given or reported last. */
  get file(): string {
    return this.#file;
  }

  get line(): number {
    return this.#view.state.doc.lineAt(this.#view.state.selection.main.head).number;
  }

  /** Replace the text. To undo this is to go back to `before`: a last step from `before` to the present text is dropped. */
  setFile(file: string, before = this.#file): void {
    if (file === this.#file) return;
    if (before !== this.#file) this.#view.setState((file === before ? null : this.#stateBefore(before)) ?? this.#state(file));
    this.#file = file;
    const { doc } = this.#view.state;
    const old = doc.toString();
    if (old === file) return;
    const limit = Math.min(old.length, file.length);
    let start = 0;
    while (start < limit && old[start] === file[start]) start += 1;
    let end = 0;
    while (end < limit - start && old[old.length - 1 - end] === file[file.length - 1 - end]) end += 1;
    this.#view.dispatch({
      changes: { from: start, to: old.length - end, insert: file.slice(start, file.length - end) },
      annotations: [fromOutside.of(true), isolateHistory.of("full"), Transaction.addToHistory.of(true)],
    });
  }

  /** Return the state before the last step, or null if its text is another one. */
  #stateBefore(text: string): EditorState | null {
    const found: EditorState[] = [];
    undo({ state: this.#view.state, dispatch: ({ state }) => void found.push(state) });
    return found.find(({ doc }) => doc.toString() === text) ?? null;
  }

  setReadOnly(isReadOnly: boolean): void {
    if (this.#view.state.readOnly === isReadOnly) return;
    this.#view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }

  // Each change of the view costs a layout, so what is there already is not set again.

  setRemarks(remarks: readonly LineRemark[]): void {
    const { doc } = this.#view.state;
    if (this.#remarked?.doc === doc && areEqual(remarks, this.#remarked.remarks)) return;
    this.#remarked = { doc, remarks };
    this.#view.dispatch({ effects: setRemarks.of(remarks) });
  }

  /** Mark where reading stops, or nothing if `line` is 0. */
  setLimit(line: number): void {
    if (line === 0 && this.#view.state.field(limitField).size === 0) return;
    this.#view.dispatch({ effects: setLimit.of(line) });
  }

  setNotes(notes: readonly Note[], texts: EditorTexts, apply: (note: Note) => void): void {
    const { state } = this.#view;
    const diagnostics = notes
      .filter(({ to }) => to <= state.doc.length)
      .map((note): Diagnostic => {
        const actions: Action[] = note.fix
          ? [{ name: note.fix.changesVerdicts ? texts.unsafeFix : texts.fix, apply: () => apply(note) }]
          : [];
        return { from: note.from, to: note.to, severity: note.severity, message: note.message, actions };
      });
    this.#view.dispatch(setDiagnostics(state, diagnostics), { effects: setMarks.of(notes) });
  }

  /** Move the cursor to a line and show it. Without `focus`, the cursor of a user who is in the editor stays. */
  goTo(line: number, { focus, from }: { focus: boolean; from?: number }): void {
    const found = lineAt(this.#view.state, line);
    if (!found || (!focus && this.#view.hasFocus)) return;
    const at = from ?? found.from;
    this.#view.dispatch({
      selection: { anchor: Math.min(at, this.#view.state.doc.length) },
      effects: EditorView.scrollIntoView(found.from, { y: "nearest", yMargin: 60 }),
    });
    if (focus) this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
    this.#host.remove();
  }

  #state(file: string): EditorState {
    return EditorState.create({
      doc: file,
      extensions: [
        EditorState.tabSize.of(4),
        readOnly.of(EditorState.readOnly.of(false)),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": this.#options.label,
          tabindex: "0",
          spellcheck: "false",
          autocorrect: "off",
          autocapitalize: "off",
          translate: "no",
        }),
        editorTheme,
        history(),
        drawSelection(),
        // The bytes that are not valid UTF-8, as `bytes.ts` decodes them.
        highlightSpecialChars({ specialChars: /[\udc80-\udcff]/gu, render: rawByte }),
        highlightActiveLineGutter(),
        marksGutter((line) => this.#options.onNotes(line)),
        lineNumbers(),
        noteMarkField,
        verdictMarkField,
        remarkField,
        marginField,
        limitField,
        robotsMode,
        keymap.of([
          { key: "Mod-.", run: () => (this.#options.onNotes(this.line), true) },
          { key: "F8", run: nextDiagnostic, shift: previousDiagnostic },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            const outside = update.transactions.some((transaction) => transaction.annotation(fromOutside));
            if (!outside) {
              this.#file = update.state.doc.toString();
              this.#options.onChange(this.#file, editKind(update));
            }
          }
          if (update.docChanged || update.selectionSet) this.#reportLine();
        }),
      ],
    });
  }

  #reportLine(): void {
    if (this.line === this.#line) return;
    this.#line = this.line;
    this.#options.onLine(this.#line);
  }
}

/** A paste over a part of the text is an edit. */
function editKind({ transactions, startState, changes }: ViewUpdate): EditKind {
  if (transactions.some((transaction) => transaction.isUserEvent("undo") || transaction.isUserEvent("redo"))) return "undo";
  let isComplete = false;
  changes.iterChanges((from, to) => {
    isComplete = from === 0 && to === startState.doc.length;
  });
  return isComplete && transactions.some((transaction) => transaction.isUserEvent("input.paste")) ? "paste" : "edit";
}

function marksGutter(onClick: (line: number) => void): ReturnType<typeof gutter> {
  return gutter({
    class: "cm-marks",
    markers: (view) => {
      const verdict = view.state.field(verdictMarkField);
      return verdict.size > 0 ? [verdict, view.state.field(noteMarkField)] : view.state.field(noteMarkField);
    },
    domEventHandlers: {
      mousedown: (view, block) => {
        onClick(view.state.doc.lineAt(block.from).number);
        return true;
      },
    },
  });
}

function lineAt(state: EditorState, line: number): { from: number; to: number } | null {
  return line >= 1 && line <= state.doc.lines ? state.doc.line(line) : null;
}

function areEqual(a: readonly LineRemark[], b: readonly LineRemark[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ line, kind, text }, at) => line === b[at]?.line && kind === b[at].kind && text === b[at].text)
  );
}

function remarkDecorations(state: EditorState, remarks: readonly LineRemark[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const [from, { kind, text }] of remarkedLines(state, remarks)) {
    builder.add(from, from, Decoration.line({ class: `line-${kind}`, attributes: { "data-remark": text } }));
  }
  return builder.finish();
}

/** Return where the lines with remarks start, in order. The last remark of a line counts. */
function remarkedLines(state: EditorState, remarks: readonly LineRemark[]): (readonly [number, LineRemark])[] {
  const byLine = new Map(remarks.map((remark) => [remark.line, remark]));
  return [...byLine.values()]
    .sort((a, b) => a.line - b.line)
    .flatMap((remark) => {
      const line = lineAt(state, remark.line);
      return line ? [[line.from, remark] as const] : [];
    });
}

const RANK = { error: 3, warning: 2, info: 1 } as const;

function noteMarkers(state: EditorState, notes: readonly Note[]): RangeSet<GutterMarker> {
  const worst = new Map<number, Note["severity"]>();
  for (const { line, severity } of notes) {
    const known = worst.get(line);
    if (!known || RANK[severity] > RANK[known]) worst.set(line, severity);
  }
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const [number, severity] of [...worst].sort(([a], [b]) => a - b)) {
    const line = lineAt(state, number);
    if (line) builder.add(line.from, line.from, new NoteMarker(severity));
  }
  return builder.finish();
}
