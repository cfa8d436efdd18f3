/** The file that the draft is compared with. */

import type { Source, State } from "../../state.js";
import type { BeforeSource } from "./state.js";

export interface Before {
  readonly text: string;
  readonly kind: "older_example" | Source | Exclude<BeforeSource, "loaded">;
  /** The name of an opened file, or the address of the live one. */
  readonly name: string;
}

type Shown = Pick<State, "compare" | "source" | "loaded" | "edited">;

/** Return the file on the left: the chosen one, or the one that was loaded before it was edited. */
export function beforeOf({ compare, source, loaded, edited }: Shown): Before {
  if (compare.source !== "loaded") return { text: compare.before, kind: compare.source, name: compare.name };
  // An unchanged example would equal itself, and show nothing.
  if (source === "example" && !edited) return { text: olderExample(loaded.text), kind: "older_example", name: "" };
  return { ...loaded, kind: source };
}

export function toLf(text: string): string {
  return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
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
