/** Bytes that are not valid UTF-8, as `bytes.ts` decodes them, with a mark for each. */

import { type Child, h } from "../../dom.js";

/** Return the mark for a lone surrogate from U+DC80 to U+DCFF. */
export function rawByte(code: number): HTMLElement {
  return h("span", { class: "raw-byte" }, `%${(code - 0xdc00).toString(16).toUpperCase()}`);
}

export function withRawBytes(text: string): Child {
  return text.split(/([\udc80-\udcff])/u).map((part, at) => (at % 2 === 0 ? part : rawByte(part.charCodeAt(0))));
}
