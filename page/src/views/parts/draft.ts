/** The draft as the server takes it. */

import { type EncodedContent, toContent } from "../../bytes.js";
import type { State } from "../../state.js";
import { LARGE_DRAFT_CHARACTERS } from "./problems.js";

type Draft = Pick<State, "file" | "bytes">;

/** Return the keys `content` and `content_encoding` of a request. */
export function draftContent({ file, bytes }: Draft): EncodedContent {
  return toContent(bytes ?? file);
}

export function isLargeDraft({ file }: Draft): boolean {
  return file.length > LARGE_DRAFT_CHARACTERS;
}
