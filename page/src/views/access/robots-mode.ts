/** Colours of robots.txt. It only paints: what a line means is decided by the engine. */

import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const LINE = /^(\s*)([^:#\s][^:#]*?)(\s*:\s*)([^#]*)(#.*)?$/;
const COMMENT = Decoration.mark({ class: "tok-comment" });
const COLON = Decoration.mark({ class: "tok-colon" });
const OPERATOR = Decoration.mark({ class: "tok-operator" });
const KEYS: Readonly<Record<string, Decoration>> = {
  "user-agent": Decoration.mark({ class: "tok-agent" }),
  disallow: Decoration.mark({ class: "tok-disallow" }),
  allow: Decoration.mark({ class: "tok-allow" }),
};
const OTHER_KEY = Decoration.mark({ class: "tok-key" });
// Longer lines are not coloured further.
const MAX_CHARACTERS = 2000;

function decorate(view: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      decorateLine(line.text.slice(0, MAX_CHARACTERS), line.from, marks);
      at = line.to + 1;
    }
  }
  return marks.finish();
}

function decorateLine(text: string, start: number, marks: RangeSetBuilder<Decoration>): void {
  const comment = text.indexOf("#");
  const found = LINE.exec(text);
  if (found) {
    const [, space = "", key = "", colon = "", value = ""] = found;
    const keyEnd = start + space.length + key.length;
    marks.add(start + space.length, keyEnd, KEYS[key.toLowerCase()] ?? OTHER_KEY);
    marks.add(keyEnd, keyEnd + colon.length, COLON);
    if (/^(dis)?allow$/i.test(key)) {
      const valueStart = keyEnd + colon.length;
      for (const { index } of value.matchAll(/\*|\$(?=\s*$)/g)) {
        marks.add(valueStart + index, valueStart + index + 1, OPERATOR);
      }
    }
  }
  if (comment >= 0) marks.add(start + comment, start + text.length, COMMENT);
}

export const robotsMode = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
