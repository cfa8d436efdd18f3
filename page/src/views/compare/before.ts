/** The file that the draft is compared with. */

import { bytesOfText, encodeText, fromBase64 } from "../../bytes.js";
import { DEFAULT_MAX_BYTES } from "../../engine/types.js";
import type { Source, State } from "../../state.js";
import type { BeforeSource } from "./state.js";

export interface Before {
  readonly text: string;
  /** The bytes, if UTF-8 of `text` is something else. */
  readonly bytes: Uint8Array | null;
  readonly kind: "older_example" | Source | Exclude<BeforeSource, "loaded">;
  /** The name of an opened file, or the address of the live one. */
  readonly name: string;
}

type Shown = Pick<State, "compare" | "source" | "loaded" | "edited">;

/** Return the file on the left: the chosen one, or the one that was loaded before it was edited. */
export function beforeOf({ compare, source, loaded, edited }: Shown): Before {
  if (compare.source !== "loaded") {
    const bytes = compare.encoded === null ? bytesOfText(compare.before) : fromBase64(compare.encoded);
    return { text: compare.before, bytes, kind: compare.source, name: compare.name };
  }
  // An unchanged example would equal itself, and show nothing.
  if (source === "example" && !edited) return { text: olderExample(loaded.text), bytes: null, kind: "older_example", name: "" };
  return { ...loaded, kind: source };
}

/** Whether the file is probably longer than its text: the server reads a file up to the limit. */
export function isCutBefore({ kind, text, bytes }: Before): boolean {
  return (kind === "live" || kind === "fetched") && (bytes ?? encodeText(text)).length > DEFAULT_MAX_BYTES;
}

/** The example before some changes. */
function olderExample(file: string): string {
  return file
    .replace("User-agent: ClaudeBot\nUser-agent: CCBot\n", "User-agent: CCBot\n")
    .replace("Disallow: /search\nAllow: /search/about\n", "Disallow: /search/\n")
    .replace("Disallow: /blog/drafts/\nAllow: /blog/drafts/published-\n", "")
    .replace("Crawl-delay: 20\nDisallow: /shop/\n", "Crawl-delay: 20\nDisallow: /\n")
    .replace(/# A second group for GPTBot[^]*?\n\n/, "");
}
