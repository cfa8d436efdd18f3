/** What a report states about the file: its address, where it comes from, and when that was. */

import type { App } from "../app.js";
import { encodeText } from "../bytes.js";
import { hasRules } from "../engine/types.js";
import { areMadeRows } from "../example.js";
import { fetchedText, missingText, sizeText } from "../fetched-text.js";
import { EDITIONS, profileName } from "../profiles.js";
import { missingFile } from "../state.js";
import type { Texts } from "../texts.js";
import type { ExportTexts } from "./texts.js";

/** Return labels and values. */
export function fileFacts(app: App, own: ExportTexts, now = new Date()): readonly (readonly [string, string])[] {
  const { texts, store, verdicts } = app;
  const { address, profile, file, bytes } = store.state;
  const size = sizeText(texts, store.state, bytes?.length ?? encodeText(file).length);
  return [
    ...(address === "" ? [] : [[own.t("address"), address] as const]),
    [own.t("origin"), originText(app, own)],
    ...(missingText(texts, store.state) === null ? [[own.t("size"), size] as const] : []),
    [texts.t("read_as"), editionText(profile, texts, own)],
    [own.t("date"), formatDate(now, own)],
    // Nobody asked about these URLs.
    ...(areMadeRows(store.state) && hasRules(verdicts.results.state.info) ? [[texts.t("urls_title"), texts.t("rows_chosen")] as const] : []),
  ];
}

/** Return the host of the file, with a port that is not the default, or an empty text. */
export function siteHost({ store }: App): string {
  const { address } = store.state;
  return URL.canParse(address) ? new URL(address).host : "";
}

/** Return the host of the file for names of files. */
export function hostName(app: App): string {
  return siteHost(app).replace(/[^\w.-]/g, "_") || "robots.txt";
}

/** Return the name of an edition, and what it is. */
function editionText(profile: string, texts: Texts, own: ExportTexts): string {
  const kind = EDITIONS.find(({ profiles }) => profiles.includes(profile))?.label ?? "edition_standard";
  return own.t(`reading_${kind}`, { edition: profileName(profile, texts) });
}

function originText({ store, texts }: App, own: ExportTexts): string {
  const { source, edited, loaded, fetched } = store.state;
  const missing = missingFile(store.state);
  const requested = missing?.fetched_at ? own.t("from_requested", { date: formatDate(new Date(missing.fetched_at), own) }) : null;
  // Most readers of a report do not know status codes.
  const isMissing = missing?.outcome === "client_error" && missing.effect === "full-allow";
  const reason = isMissing ? own.t("from_missing", { status: String(missing.status) }) : missingText(texts, store.state);
  if (reason !== null) return requested === null ? reason : `${reason} ${requested}`;
  return edited ? `${sourceText()} ${own.t("edited")}` : sourceText();

  function sourceText(): string {
    if (source === "opened") return own.t("from_opened", { name: loaded.name });
    if (source !== "fetched" || !fetched) {
      return own.t(source === "shared" ? "from_shared" : source === "pasted" ? "from_pasted" : "from_example");
    }
    // An edited draft can replace a file that was not fetched.
    if (fetched.copy) return own.t("from_fetched", { date: formatDate(new Date(fetched.copy.fetched_at), own) });
    return fetchedText(texts, fetched);
  }
}

function formatDate(date: Date, { language }: ExportTexts): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "long" }).format(date);
}
