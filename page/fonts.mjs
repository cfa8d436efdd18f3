/** The fonts of the page, with no more than it shows: Latin characters in weights from 400 to 700, without ligatures. */

import { readFile } from "node:fs/promises";

import subsetFont from "subset-font";

/** The first and last character of each range. Others are shown in fonts of the system. */
const RANGES = [
  [" ", "\u00ff"],
  ["\u0131", "\u0131"],
  ["\u0152", "\u0153"],
  ["\u02c6", "\u02dc"],
  ["\u0300", "\u036f"],
  ["\u2000", "\u206f"],
  ["\u20ac", "\u20ac"],
  ["\u2122", "\u2122"],
  ["\u2190", "\u2193"],
  ["\u2212", "\u2215"],
  ["\ufffd", "\ufffd"],
];
const CHARACTERS = RANGES.flatMap(([first, last]) => {
  const [start, end] = [first.codePointAt(0), last.codePointAt(0)];
  return Array.from({ length: end - start + 1 }, (_, index) => String.fromCodePoint(start + index));
}).join("");

/** For esbuild. The files are half as large. */
export const SMALL_FONTS = {
  name: "small-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /\.woff2$/ }, async ({ path }) => ({
      contents: await subsetFont(await readFile(path), CHARACTERS, {
        targetFormat: "woff2",
        variationAxes: { wght: { min: 400, max: 700, default: 400 } },
        noLayoutClosure: true,
      }),
      loader: "file",
    }));
  },
};
