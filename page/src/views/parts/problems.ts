/** What is shown instead of an answer: a failed request, a large file. */

import type { App } from "../../app.js";
import { h } from "../../dom.js";
import { ServerError } from "../../server.js";
import type { Texts } from "../../texts.js";

/** A longer draft is sent on request only. */
export const LARGE_DRAFT_CHARACTERS = 64 * 1024;

/** Return why a request failed, as a sentence. */
export function failureText(texts: Texts, error: unknown): string {
  if (!(error instanceof ServerError)) return texts.t("views_failed", { reason: String(error) });
  const { status, detail, title, type } = error.problem;
  const reason = detail ?? title;
  switch (type?.split(":").at(-1)) {
    case "not-fetched":
      return reason.includes("forbidden-address") ? texts.t("views_not_public") : texts.t("views_not_fetched", { reason });
    case "invalid-url":
      return texts.t("views_invalid_url");
  }
  switch (status) {
    case 0:
      return texts.t("views_unreachable");
    case 401:
      return texts.t("views_token");
    case 413:
      return texts.t("views_too_large");
    case 429:
    case 503:
      return texts.t("views_too_many");
    case 400:
    case 422:
      return texts.t("views_invalid_input", { reason });
    default:
      return texts.t("views_failed", { reason });
  }
}

export function failureNote(app: App, error: unknown, retry: () => void): HTMLElement {
  const text = failureText(app.texts, error);
  const isInput = error instanceof ServerError && [400, 422].includes(error.problem.status);
  app.announce(text, "error");
  return h(
    "div",
    { class: "note error state-note", "data-state": "failed" },
    h("p", {}, text),
    // The same input has the same answer.
    isInput ? null : h("button", { type: "button", class: "button", on: { click: retry } }, app.texts.t("views_retry")),
  );
}

export function largeNote(texts: Texts, characters: number, read: () => void): HTMLElement {
  const size = `${texts.number(Math.round(characters / 1024))} KB`;
  return h(
    "div",
    { class: "empty-state", "data-state": "large" },
    h("p", {}, texts.t("views_large", { size })),
    h("button", { type: "button", class: "button", on: { click: read } }, texts.t("views_read_now")),
  );
}

/** Shown until the first answer. */
export function loadingNote(texts: Texts): HTMLElement {
  return h("p", { class: "empty-state soft", "data-state": "loading" }, texts.t("views_loading"));
}

/** Shown while nothing is asked. */
export function emptyNote(text: string): HTMLElement {
  return h("p", { class: "empty-state soft", "data-state": "empty" }, text);
}
