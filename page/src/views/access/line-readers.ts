/** Which of the selected crawlers read a line, as a sentence. */

import { type Child, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import type { LineReaders } from "../../verdict-model.js";

const SHOWN_READERS = 3;

export function readersSentence(texts: Texts, { line: number, kind, crawlers }: LineReaders, selected: number): Child {
  const line = h("strong", {}, texts.t("line_number", { line: number }));
  if (kind === "nothing") return line;
  if (kind === "sitemap" || (crawlers.length > 1 && crawlers.length === selected)) {
    return texts.nodes("line_read_by_all", { line });
  }
  if (crawlers.length === 0) return texts.nodes("line_read_by_none", { line });
  const more = crawlers.length - SHOWN_READERS;
  const names = h("strong", { translate: "no" }, crawlers.slice(0, SHOWN_READERS).join(", "));
  if (more > 0) return texts.nodes("line_read_by_more", { line, crawlers: names, count: more });
  return texts.nodes("line_read_by", { line, crawlers: names });
}
