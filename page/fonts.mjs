/** The fonts of the page, with no more than it shows: the characters of its Latin languages, without ligatures. */

import { readFile } from "node:fs/promises";

import subsetFont from "subset-font";

/** The first and last character of each range. Others are shown in fonts of the system. */
const RANGES = [
  [" ", "~"],
  ["\u00a0", "\u00ff"],
  ["\u2013", "\u2026"],
  ["\u20ac", "\u20ac"],
  ["\u2190", "\u2193"],
  ["\u2212", "\u2212"],
  ["\ufffd", "\ufffd"],
];
const CHARACTERS = RANGES.flatMap(([first, last]) => {
  const [start, end] = [first.codePointAt(0), last.codePointAt(0)];
  return Array.from({ length: end - start + 1 }, (_, index) => String.fromCodePoint(start + index));
}).join("");
/** Browsers make the few bold characters of files and URLs themselves. */
const MONO = { wght: 400 };
const TEXT = { wght: { min: 400, max: 700, default: 400 } };

/** For esbuild. The files are less than half as large. */
export const SMALL_FONTS = {
  name: "small-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /\.woff2$/ }, async ({ path }) => ({
      contents: await subsetFont(await readFile(path), CHARACTERS, {
        targetFormat: "woff2",
        variationAxes: path.includes("mono") ? MONO : TEXT,
        noLayoutClosure: true,
      }),
      loader: "file",
    }));
  },
};
