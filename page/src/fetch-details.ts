/** The details of a fetch: type, size and age of the file, hops and headers. */

import type { FetchedFile } from "./api-types.js";
import type { App } from "./app.js";
import { type Child, h } from "./dom.js";
import { sizeText } from "./fetched-text.js";
import { formatSeconds } from "./units.js";

export function fetchDetails({ store, texts }: App, answer: FetchedFile): Child {
  const type = answer.headers["content-type"] ?? "";
  const age = answer.copy ? (Date.now() - Date.parse(answer.copy.fetched_at)) / 1000 : null;
  const hops = answer.hops.map(({ url, status, location }) =>
    h("li", {}, h("code", {}, String(status)), " ", h("code", {}, url), " → ", h("code", {}, location)),
  );
  return [
    answer.copy
      ? h(
          "p",
          {},
          texts.t("fetch_size", { size: sizeText(texts, store.state, answer.copy.bytes), type: type || "–" }),
          age !== null && age >= 0 ? `, ${texts.t("fetch_age", { age: formatSeconds(age, texts) })}` : null,
        )
      : null,
    h("p", { class: "soft" }, answer.explanation),
    hops.length > 0 ? [h("h3", {}, texts.t("fetch_hops")), h("ol", {}, hops)] : null,
    h("h3", {}, texts.t("fetch_headers")),
    h(
      "dl",
      { class: "headers" },
      Object.entries(answer.headers).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
  ];
}
