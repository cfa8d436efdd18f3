/** The choice of crawlers: by name, operator and purpose from the registry, or any other product token. */

import type { CrawlerObject } from "../../crawlers.js";
import type { App } from "../../app.js";
import { isProductToken, purposeTexts } from "../../crawlers.js";
import type { FoundCrawler } from "../../api-types.js";
import { checkbox, type Child, fill, h } from "../../dom.js";
import { showDialog } from "../../dialog.js";
import { EXAMPLE } from "../../example.js";
import type { Answers } from "../../server.js";
import { LatestRequest } from "../parts/latest-request.js";
import { failureText } from "../parts/problems.js";

const HEADER_DELAY_MS = 200;

/** Return the value of a User-Agent header, or null if a text is something else. */
function userAgentOf(text: string): string | null {
  const named = /^user-agent\s*:\s*(.+)$/i.exec(text)?.[1];
  return named ?? (/^[^\s,]+\/[\w.]/.test(text) || /^\S.*\(.*[;/].*\)/.test(text) ? text : null);
}

export function chooseCrawlers(app: App): void {
  const { texts, store, verdicts } = app;
  const { registry } = verdicts.results.state;
  let chosen = [...store.state.crawlers];

  const search = h("input", {
    class: "field crawlers-search",
    type: "search",
    placeholder: texts.t("crawlers_search"),
    "aria-label": texts.t("crawlers_search"),
    "data-control": "crawlers-search",
    on: { input: () => update() },
  });
  const list = h("ul", { class: "crawler-list" });
  const status = h("span", { class: "soft small", role: "status" });
  let found: CrawlerObject[] = [];

  const toggle = (token: string, on: boolean): void => {
    chosen = on ? [...chosen, token] : chosen.filter((other) => other !== token);
    updateStatus();
  };
  const entry = (token: string, crawler: CrawlerObject | undefined): HTMLElement =>
    h(
      "li",
      { "data-token": token },
      checkbox(
        null,
        chosen.includes(token),
        (checked) => toggle(token, checked),
        h("span", { class: "crawler-name", translate: "no" }, registry.shownName(token)),
        crawler ? h("span", { class: "soft small" }, `${crawler.operator}, ${purposeTexts(crawler, texts)}`) : null,
      ),
    );
  const updateStatus = (): void => {
    status.textContent = texts.t("crawlers_chosen", { count: chosen.length });
  };
  /** What is known about the User-Agent header that was pasted last. */
  let header: { readonly text: string; readonly crawler: CrawlerObject | null } | null = null;
  const identification = new LatestRequest();
  const identify = (text: string): void => {
    const path = `agents/find?user_agent=${encodeURIComponent(text)}`;
    identification.schedule(HEADER_DELAY_MS, (signal) => (app.answers as Answers).get<FoundCrawler>(path, signal), {
      done: ({ crawler }) => {
        header = { text, crawler: (crawler && registry.find(crawler.name)) ?? null };
        update();
      },
      failed: (error) => fill(list, h("li", { class: "note error" }, failureText(texts, error))),
    });
  };
  const headerResult = (text: string): Child => {
    if (header?.text !== text) {
      identify(text);
      return h("li", { class: "soft" }, texts.t("views_loading"));
    }
    const { crawler } = header;
    const found = crawler
      ? texts.nodes("crawlers_header", { crawler: h("strong", { translate: "no" }, registry.shownName(crawler.name)) })
      : texts.t("crawlers_header_unknown");
    return [h("li", { class: "note", "data-result": "user-agent" }, found), crawler ? entry(crawler.name, crawler) : null];
  };
  const update = (): void => {
    const query = search.value.trim();
    const asHeader = app.answers ? userAgentOf(query) : null;
    identification.cancel();
    if (asHeader !== null) {
      found = [];
      fill(list, headerResult(asHeader));
      updateStatus();
      return;
    }
    found = registry.search(query, texts);
    const unlisted = query === "" ? chosen.filter((token) => !registry.find(token)) : [];
    const isNew = isProductToken(query) && !registry.find(query) && !chosen.includes(query);
    const probable = isNew ? registry.probable(query) : undefined;
    const isInvalid = query !== "" && !isProductToken(query) && found.length === 0;
    fill(
      list,
      isInvalid
        ? h("li", { class: "note error", "data-result": "invalid-token" }, texts.nodes("crawlers_invalid", { token: query }))
        : null,
      probable === undefined
        ? null
        : h("li", { class: "note", "data-result": "misspelt-token" }, texts.nodes("crawlers_probable", { token: query, known: probable })),
      isNew
        ? h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                class: "button",
                "data-control": "crawlers-add",
                on: {
                  click: () => {
                    toggle(query, true);
                    search.value = "";
                    update();
                  },
                },
              },
              texts.nodes("crawlers_add", { token: query }),
            ),
          )
        : null,
      unlisted.map((token) => entry(token, undefined)),
      // The chosen ones come first.
      [...found]
        .sort((a, b) => Number(chosen.includes(b.name)) - Number(chosen.includes(a.name)))
        .map((crawler) => entry(crawler.name, crawler)),
      found.length === 0 && !isNew && !isInvalid ? h("li", { class: "soft" }, texts.t("crawlers_none_found")) : null,
    );
    updateStatus();
  };
  const button = (control: string, text: string, click: () => void, style = "button"): HTMLElement =>
    h("button", { type: "button", class: style, "data-control": control, on: { click } }, text);

  const dialog = showDialog(
    {
      name: "crawlers",
      title: texts.t("crawlers_title"),
      body: [
        search,
        h(
          "div",
          { class: "crawler-tools" },
          button("crawlers-all", texts.t("crawlers_all_found"), () => {
            chosen = [...new Set([...chosen, ...found.map(({ name }) => name)])];
            update();
          }),
          button("crawlers-clear", texts.t("crawlers_clear"), () => {
            chosen = [];
            update();
          }),
          store.state.source === "example"
            ? button("crawlers-example", texts.t("crawlers_example"), () => {
                chosen = [...EXAMPLE.crawlers];
                update();
              })
            : null,
        ),
        list,
      ],
      foot: [
        button(
          "crawlers-apply",
          texts.t("apply_button"),
          () => {
            const crawlers = registry.sorted(chosen);
            const { selected } = store.state;
            const kept = selected ? crawlers.indexOf(store.state.crawlers[selected.crawler] ?? "") : -1;
            store.set({ crawlers, ownCrawlers: true, selected: selected && kept >= 0 ? { ...selected, crawler: kept } : null });
            dialog.close();
          },
          "button strong",
        ),
        button("crawlers-cancel", texts.t("cancel_button"), () => dialog.close()),
        status,
      ],
    },
    texts,
  );
  update();
  search.focus();
}
