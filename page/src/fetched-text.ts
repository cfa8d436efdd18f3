/** Which verdict applies after a fetch, and why, in one or two sentences. */

import type { FetchedFile } from "./api-types.js";
import { DEFAULT_MAX_BYTES } from "./engine/types.js";
import { missingFile, shownAnswer, type State } from "./state.js";
import type { Texts } from "./texts.js";
import { formatBytes, formatSeconds } from "./units.js";

/** For how many seconds a policy blocks every URL, before it changes to the last copy or allows every URL. */
const LATER: Readonly<Record<string, number>> = { google: 12 * 3600, google2019: 30 * 86_400 };

/** Return the status, and which verdict applies now. */
export function fetchedText(texts: Texts, { status, access, effect, policy, hops, fresh_for: fresh, content }: FetchedFile): string {
  const shown = { status: String(status ?? "") };
  if (access === "unavailable" && effect === "full-allow") {
    return texts.t(status === 404 || status === 410 ? "fetch_missing" : "fetch_unavailable", shown);
  }
  if (access !== "successful") {
    const failed = status === null ? "fetch_unreachable" : status < 500 ? "fetch_no_redirect" : "fetch_server_error";
    const applies =
      content !== null
        ? "fetch_last_copy"
        : effect === "full-allow"
          ? "fetch_policy_allows"
          : policy === "rfc9309" && (status === null || status >= 500)
            ? "fetch_closed"
            : "fetch_policy_blocks";
    const later = applies === "fetch_policy_blocks" ? LATER[policy] : undefined;
    const sentences = [texts.t(failed, shown), texts.t(applies, { policy })];
    if (later !== undefined) sentences.push(texts.t("fetch_policy_later", { time: formatSeconds(later, texts) }));
    return sentences.join(" ");
  }
  const values = { status: String(status ?? ""), count: hops.length };
  const sentence = texts.t(hops.length > 0 ? "fetch_redirected" : "fetch_no_redirect", values);
  return `${sentence} ${texts.t("fetch_fresh", { time: formatSeconds(fresh, texts) })}`;
}

/** Return why there is no file and which verdict applies now, or null if there is a file. */
export function missingText(texts: Texts, state: State): string | null {
  const answer = missingFile(state);
  if (answer) return fetchedText(texts, answer);
  // A link holds no answer.
  return state.closed ? texts.t("fetch_closed") : null;
}

/** Return the size of the file in the editor. The server reads a file only a little beyond the limit. */
export function sizeText(texts: Texts, state: State, bytes: number): string {
  const size = formatBytes(bytes, texts);
  return (shownAnswer(state)?.copy?.bytes ?? 0) > DEFAULT_MAX_BYTES ? texts.t("size_over", { size }) : size;
}
