/** The draft as the server takes it. */

import type { State } from "../../state.js";
import { LARGE_DRAFT_CHARACTERS } from "./problems.js";

type Draft = Pick<State, "file" | "bytes">;

/** Return the keys `content` and `content_encoding` of a request. */
export function draftContent({ file, bytes }: Draft): { content: string; content_encoding: "utf-8" | "base64" } {
  if (!bytes) return { content: file, content_encoding: "utf-8" };
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return { content: btoa(binary), content_encoding: "base64" };
}

export function isLargeDraft({ file }: Draft): boolean {
  return file.length > LARGE_DRAFT_CHARACTERS;
}
