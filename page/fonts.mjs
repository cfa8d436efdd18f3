/**
 * The fonts of the page, with no more than it shows: the characters of its Latin languages, without ligatures. Files and
 * URLs, in the other font, have few characters outside of ASCII.
 */

import { readFile } from "node:fs/promises";

import subsetFont from "subset-font";

/** Other characters are shown in fonts of the system. */
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join("");
const SIGNS = "\u00a0\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u20ac\u2190\u2191\u2192\u2193\u2212\ufffd";
const LATIN = "¡¿«»·©ª°ºß×ÀÁÄÇÈÉÊËÍÌÎÏÑÒÓÔÖÙÚÛÜàáâäçèéêëìíîïñòóôöùúûü";
/** Browsers make the few bold characters of files and URLs themselves. */
const MONO = { wght: 400 };
const TEXT = { wght: { min: 400, max: 700, default: 400 } };

/** For esbuild. The files are less than half as large. */
export const SMALL_FONTS = {
  name: "small-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /\.woff2$/ }, async ({ path }) => {
      const isMono = path.includes("mono");
      const contents = await subsetFont(await readFile(path), ASCII + SIGNS + (isMono ? "" : LATIN), {
        targetFormat: "woff2",
        variationAxes: isMono ? MONO : TEXT,
        noLayoutClosure: true,
      });
      return { contents, loader: "file" };
    });
  },
};
