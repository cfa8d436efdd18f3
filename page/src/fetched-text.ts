/** Which verdict applies after a fetch, and why, in one or two sentences. */

import type { FetchedFile } from "./api-types.js";
import { DEFAULT_MAX_BYTES } from "./engine/types.js";
import { missingFile, shownAnswer, type State } from "./state.js";
import type { Texts } from "./texts.js";
import { formatBytes, formatSeconds } from "./units.js";

/** For how many seconds a policy blocks every URL, before it changes to the last copy or allows every URL. */
const LATER: Readonly<Record<string, number>> = { google: 12 * 3600, google2019: 30 * 86_400 };

/** After these outcomes, RFC 9309 allows every URL, too. */
const ALLOWED: ReadonlySet<FetchedFile["outcome"]> = new Set(["client_error", "unauthorized", "redirect_overflow"]);

/** Return the status, and which verdict applies now. */
export function fetchedText(texts: Texts, answer: FetchedFile): string {
  const { status, access, effect, policy, hops, fresh_for: fresh, content, outcome } = answer;
  const shown = { status: String(status ?? "") };
  if (access === "unavailable" && effect === "full-allow" && ALLOWED.has(outcome)) {
    return texts.t(status === 404 || status === 410 ? "fetch_missing" : "fetch_unavailable", shown);
  }
  if (access !== "successful") {
    const applies =
      content !== null
        ? "fetch_last_copy"
        : effect === "full-allow"
          ? "fetch_policy_allows"
          : policy === "rfc9309" && (status === null || status >= 500)
            ? "fetch_closed"
            : "fetch_policy_blocks";
    const later = applies === "fetch_policy_blocks" ? LATER[policy] : undefined;
    const sentences = [reasonText(texts, answer), texts.t(applies, { policy })];
    if (later !== undefined) sentences.push(texts.t("fetch_policy_later", { time: formatSeconds(later, texts) }));
    return sentences.join(" ");
  }
  const values = { status: String(status ?? ""), count: hops.length };
  const sentence = texts.t(hops.length > 0 ? "fetch_redirected" : "fetch_no_redirect", values);
  return `${sentence} ${texts.t("fetch_fresh", { time: formatSeconds(fresh, texts) })}`;
}

/** Return why no file applies, or why the last copy does. */
function reasonText(texts: Texts, { status, outcome }: FetchedFile): string {
  if (outcome === "oversize") return texts.t("fetch_too_large", { size: limitText(texts) });
  if (status === null) return texts.t("fetch_unreachable");
  const values = { status: String(status) };
  if (outcome === "not_robots") return texts.t("fetch_not_robots", values);
  return texts.t(status < 500 ? "fetch_no_redirect" : "fetch_server_error", values);
}

/** Return why there is no file and which verdict applies now, or null if there is a file. */
export function missingText(texts: Texts, state: State): string | null {
  const answer = missingFile(state);
  if (answer) return fetchedText(texts, answer);
  // A link holds no answer.
  return state.closed ? texts.t("fetch_closed") : null;
}

/** Return the number of bytes that crawlers read. */
export function limitText(texts: Texts): string {
  return `${texts.number(DEFAULT_MAX_BYTES / 1024)} KiB`;
}

/** Return the size of the file in the editor. */
export function sizeText(texts: Texts, state: State, bytes: number): string {
  const size = formatBytes(bytes, texts);
  return isCut(state) ? texts.t("size_over", { size }) : size;
}

/** Return the note that only the start of a file was fetched, or null. */
export function restText(texts: Texts, isLonger: boolean): string | null {
  return isLonger ? texts.t("file_rest", { size: limitText(texts) }) : null;
}

/** Whether the server has read only the start of a fetched file. It reads a file only a little beyond the limit. */
export function isCut(state: State): boolean {
  return (shownAnswer(state)?.copy?.bytes ?? 0) > DEFAULT_MAX_BYTES;
}
