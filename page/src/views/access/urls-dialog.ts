/** The list of URLs: typed, pasted, from a file, or from a sitemap that is fetched on request. */

import type { SitemapObject } from "../../api-types.js";
import type { App } from "../../app.js";
import { type Child, fill, h } from "../../dom.js";
import { showDialog } from "../../dialog.js";
import { areMadeRows } from "../../example.js";
import { acceptedUrls, type PastedLine, readPasted } from "../../pasted-urls.js";
import { listedSitemaps, MAX_URLS, ROW_TEXTS } from "../../rows.js";
import { ServerError } from "../../server.js";
import type { State } from "../../state.js";
import type { Texts } from "../../texts.js";

/** More lines are counted, but not listed. */
const MAX_LISTED = 500;

/** What became of URLs that were appended to the list. */
interface Added {
  readonly rows: number;
  readonly known: number;
  /** URLs beyond the limit of the page. */
  readonly rest: number;
}

export interface UrlsOptions {
  /** Start with the rows of the user, without those that the page chose. */
  readonly isOwn?: boolean;
  /** Fetch the sitemap that is suggested. */
  readonly isSitemapAsked?: boolean;
}

export function editUrls(app: App, { isOwn = false, isSitemapAsked = false }: UrlsOptions = {}): void {
  const { texts, store, server } = app;
  const { address } = store.state;
  const input = h("textarea", {
    class: "field urls-input",
    "aria-label": texts.t("urls_label"),
    rows: 12,
    spellcheck: "false",
    wrap: "off",
    translate: "no",
    "data-control": "urls-text",
    on: { input: () => update() },
  });
  const [shown, own] = [store.state.urls, ownRows(store.state)].map((urls) => urls.join("\n")) as [string, string];
  input.value = isOwn ? own : shown;
  const outcome = h("div", { class: "outcome", role: "status" });
  const update = (): readonly PastedLine[] => {
    const lines = readPasted(input.value, address);
    fill(outcome, outcomeList(lines, texts));
    apply.disabled = acceptedUrls(lines).length === 0;
    return lines;
  };
  const add = (urls: readonly string[]): Added => {
    // They replace the rows that the page made from the rules.
    const written = input.value === shown && areMadeRows(store.state) ? own : input.value.replace(/\n+$/, "");
    const before = written === "" ? [] : written.split("\n");
    input.value = [...before, ...urls].join("\n");
    const added = update().slice(before.length);
    const known = added.filter(({ outcome, sameAs }) => outcome === "duplicate" && (sameAs ?? 0) <= before.length);
    const rest = added.filter(({ outcome }) => outcome === "too-many");
    return { rows: acceptedUrls(added).length, known: known.length, rest: rest.length };
  };

  const file = h("input", {
    type: "file",
    accept: ".txt,.csv,text/plain",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    on: {
      change: () => {
        void file.files?.[0]?.text().then((text) => add(text.split(/\r\n?|\n/)));
        file.value = "";
      },
    },
  });
  const body: Child[] = [
    h("p", { class: "soft small" }, texts.t("urls_help")),
    input,
    h(
      "div",
      { class: "urls-sources" },
      file,
      h(
        "button",
        { type: "button", class: "button", "data-control": "urls-file", on: { click: () => file.click() } },
        texts.t("urls_from_file"),
      ),
      server ? sitemapForm(app, address, add) : null,
    ),
    outcome,
  ];
  const apply = h(
    "button",
    {
      type: "button",
      class: "button strong",
      "data-control": "urls-apply",
      on: {
        click: () => {
          const urls = acceptedUrls(update());
          const { selected, urls: before } = store.state;
          const kept = selected && urls.indexOf(store.state.urls[selected.url] ?? "");
          const cell = selected && kept !== null && kept >= 0 ? { ...selected, url: kept } : null;
          const isChanged = urls.length !== before.length || urls.some((url, index) => url !== before[index]);
          if (isChanged) store.set({ urls, ownUrls: true, typedUrls: 0, selected: cell });
          dialog.close();
        },
      },
    },
    texts.t("apply_button"),
  );
  const cancel = h("button", { type: "button", class: "button", on: { click: () => dialog.close() } }, texts.t("cancel_button"));
  const dialog = showDialog({ name: "urls", title: texts.t("urls_title"), body, foot: [apply, cancel] }, texts);
  update();
  if (isSitemapAsked) dialog.querySelector<HTMLElement>("[data-control=sitemap-fetch]")?.click();
  input.focus();
}

function ownRows({ urls, ownUrls, typedUrls }: State): readonly string[] {
  return ownUrls ? urls : urls.slice(0, typedUrls);
}

/** Say of each line that is special what becomes of it. */
function outcomeList(lines: readonly PastedLine[], texts: Texts): Child {
  const special = lines.filter(({ outcome }) => outcome !== "row");
  const rows = acceptedUrls(lines).length;
  return [
    h("p", { class: "small" }, texts.t("urls_rows", { count: rows })),
    special.length > 0
      ? h(
          "ul",
          { class: "outcome-list", "aria-label": texts.t("urls_lines") },
          special.slice(0, MAX_LISTED).map((line) =>
            h(
              "li",
              { "data-line": line.line, "data-outcome": line.outcome },
              h("span", { class: "soft" }, texts.t("line_number", { line: line.line })),
              h("code", { translate: "no" }, line.text),
              h("span", { class: "soft" }, outcomeText(line, texts)),
            ),
          ),
        )
      : null,
  ];
}

function outcomeText({ text, outcome, sameAs }: PastedLine, texts: Texts): string {
  switch (outcome) {
    case "blank":
      return texts.t("line_blank");
    case "duplicate":
      return texts.t("line_duplicate", { line: sameAs ?? 0 });
    case "no-scheme":
      return texts.t("line_scheme", { scheme: text.slice(0, text.indexOf(":")) });
    case "other-host":
    case "other-scheme":
    case "invalid":
      return texts.t(ROW_TEXTS[outcome]);
    case "too-many":
      return texts.t("line_too_many", { count: MAX_URLS });
    case "row":
      return texts.t("line_ok");
  }
}

function sitemapForm(app: App, address: string, add: (urls: readonly string[]) => Added): HTMLElement {
  const { texts, server } = app;
  const url = h("input", {
    class: "field mono",
    type: "url",
    "aria-label": texts.t("sitemap_label"),
    "data-control": "sitemap-address",
  });
  const listed = listedSitemaps(app.store.state.file, address);
  url.value = listed[0] ?? address.replace(/\/robots\.txt$/, "/sitemap.xml");
  const message = h("div", { class: "small sitemap-message", role: "status" });
  /** Sitemaps that can be fetched one after the other. */
  const choices = (urls: readonly string[]): Child[] => [
    urls.slice(0, MAX_LISTED).map((entry) =>
      h("button", { type: "button", class: "button mono", on: { click: () => ((url.value = entry), void ask()) } }, entry),
    ),
    urls.length > MAX_LISTED ? h("p", {}, texts.t("sitemaps_cut", { count: urls.length - MAX_LISTED })) : null,
  ];
  /** The sitemaps of an index stay. */
  const index = h("div", { class: "small sitemap-index", "data-result": "sitemap-index" });
  let requests = 0;
  const ask = async (): Promise<void> => {
    const own = (requests += 1);
    // The message is about the last request, also if an earlier answer is late.
    const show = (...parts: Child[]): void => {
      if (own === requests) fill(message, ...parts);
    };
    show(texts.t("fetching"));
    try {
      const answer = await (server as NonNullable<typeof server>).post<SitemapObject>("sitemap", { url: url.value.trim(), refresh: true });
      if (answer.kind === "index") {
        show(answer.truncated ? `${texts.t("sitemap_truncated")} ` : null, texts.t("sitemap_index", { count: answer.urls.length }));
        fill(index, choices(answer.urls));
        index.scrollTop = 0;
        return;
      }
      const { rows, known, rest } = add(answer.urls);
      show(
        texts.t("sitemap_added", { count: rows }),
        known > 0 ? ` ${texts.t("sitemap_known", { count: known })}` : null,
        answer.truncated || rest > 0 ? ` ${texts.t("sitemap_truncated")}` : null,
        answer.problem ? ` ${answer.problem}` : null,
      );
    } catch (error) {
      const reason = error instanceof ServerError ? error.message : String(error);
      show(h("span", { class: "bad" }, texts.t("fetch_failed", { reason })));
    }
  };
  return h(
    "form",
    {
      class: "sitemap-form",
      on: {
        submit: (event) => {
          event.preventDefault();
          void ask();
        },
      },
    },
    h("span", { class: "small soft" }, texts.t("urls_from_sitemap")),
    url,
    h("button", { type: "submit", class: "button", "data-control": "sitemap-fetch" }, texts.t("sitemap_fetch")),
    listed.length > 1 ? h("div", { class: "small sitemap-index", "data-result": "sitemaps" }, choices(listed)) : null,
    message,
    index,
  );
}
