/** Where a rule is in the pasted headers and HTML. */

import type { RulePosition } from "../../api-types.js";
import { responseHead } from "./response-head.js";

export interface Place {
  readonly field: "headers" | "html";
  readonly start: number;
  readonly end: number;
}

/** Return the characters of a header or an element, or null if the page was not pasted. */
export function placeOf(position: RulePosition, headers: string, html: string): Place | null {
  if (position.source === "meta") return elementPlace(html, position.offset);
  const name = { "x-robots-tag": "x-robots-tag", "robots-tag": "robots-tag", "tdm-header": "tdm-reservation" }[
    position.source as string
  ];
  return name === undefined ? null : headerPlace(headers, name, position.number);
}

function headerPlace(headers: string, name: string, number: number): Place | null {
  const line = responseHead(headers).lines.filter((header) => header.name === name)[number - 1];
  return line ? { field: "headers", start: line.start, end: line.end } : null;
}

function elementPlace(html: string, offset: number | null): Place | null {
  if (offset === null) return null;
  const start = new TextDecoder().decode(new TextEncoder().encode(html).subarray(0, offset)).length;
  const end = html.indexOf(">", start);
  return { field: "html", start, end: end < 0 ? html.length : end + 1 };
}
