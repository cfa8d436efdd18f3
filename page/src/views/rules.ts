/** Page rules: what X-Robots-Tag and robots meta elements permit, and whether robots.txt lets crawlers see them. */

import type { LivePageRows, PageRow, RulePosition } from "../api-types.js";
import type { App, View, ViewFactory } from "../app.js";
import { type Child, h } from "../dom.js";
import { edition } from "../profiles.js";
import { CellGrid, type GridRow } from "./parts/cell-grid.js";
import { crawlerGroup } from "./parts/crawler-group.js";
import { draftContent } from "./parts/draft.js";
import { LatestRequest } from "./parts/latest-request.js";
import { lineButton } from "./parts/line-button.js";
import { legend } from "./parts/marks.js";
import { PanelFrame } from "./parts/panel-frame.js";
import { noFileNote } from "./parts/no-file.js";
import { emptyNote, failureNote, loadingNote } from "./parts/problems.js";
import { hasEffect, unseenRules, type Use, USES, useState, type UseState } from "./rules/answer.js";
import { explainUse, type Places, ruleList, STATE_TEXTS, USE_TEXTS } from "./rules/explanation.js";
import { RulesInput } from "./rules/input.js";
import { ResourceList } from "./rules/resources.js";
import { responseHead } from "./rules/response-head.js";
import { placeOf } from "./rules/source-places.js";
import type { RulesViewState } from "./rules/state.js";

const DELAY_MS = 300;
/** The server takes as many crawlers at a time. */
const MAX_CRAWLERS = 50;
const ROWS = ["fetch", ...USES] as const;
const LEGEND: readonly UseState[] = ["blocked", "limited", "allowed", "none", "unread"];

export const rulesView: ViewFactory = (app) => new RulesView(app);

class RulesView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #input: RulesInput;
  readonly #grid: CellGrid;
  readonly #frame: PanelFrame;
  readonly #resources: ResourceList;
  readonly #request = new LatestRequest();
  #answer: LivePageRows | null = null;
  /** The mode in which `#answer` was requested. */
  #answeredMode: RulesViewState["mode"] = "paste";
  #asked: RulesViewState;
  #stale = true;
  /** The edition of the last request for a page. */
  #edition = "";

  constructor(app: App) {
    this.#app = app;
    const { texts } = app;
    this.#asked = this.#state;
    this.#input = new RulesInput(app, () => this.#fetchPage());
    this.#grid = new CellGrid({
      label: texts.t("rules_grid"),
      corner: texts.t("rules_use"),
      shape: "squares",
      onChoose: ({ row, column }) => {
        this.#set({ use: ROWS[row] ?? "may_index", crawler: this.#answer?.rows[column]?.agent_name ?? null });
        this.#frame.openExplanation();
      },
    });
    this.#frame = new PanelFrame(app, {
      name: "rules",
      title: texts.t("view_rules"),
      inputLabel: texts.t("rules_input"),
      input: this.#input.element,
      legend: legend(LEGEND.map((state) => [state, texts.t(STATE_TEXTS[state])])),
    });
    this.#resources = new ResourceList(app);
    this.element = this.#frame.element;
    this.#frame.setBody(app.offer && !app.answers ? app.offer.note() : loadingNote(texts));
    app.on(["file", "bytes", "crawlers", "profile", "address", "closed"], () => this.#changed());
    app.on(["rules"], () => this.#changedView());
    // The headings of the columns need the registry.
    app.onResults(["registry"], () => this.#answer && this.#showAnswer(this.#answer));
    app.on(["view"], ({ view }) => {
      if (view !== "rules") this.#request.cancel();
    });
  }

  show(): void {
    if (this.#stale) this.#changed(0);
  }

  drop(): void {
    this.#request.cancel();
    this.#input.drop();
  }

  get #state(): RulesViewState {
    return this.#app.store.state.rules;
  }

  #set(patch: Partial<RulesViewState>): void {
    this.#app.store.set({ rules: { ...this.#state, ...patch } });
  }

  #changedView(): void {
    const { mode, url, headers, html, address } = this.#state;
    const asked = this.#asked;
    if (mode !== asked.mode || (mode === "paste" && (url !== asked.url || headers !== asked.headers || html !== asked.html))) {
      this.#changed();
    } else if (mode === "fetch" && address !== asked.address) {
      return;
    }
    if (this.#answer && this.#answeredMode === mode) this.#showAnswer(this.#answer);
  }

  #changed(delay = DELAY_MS): void {
    this.#stale = true;
    if (this.#app.store.state.view !== "rules" || !this.#app.answers) return;
    this.#asked = this.#state;
    if (this.#state.mode === "paste") this.#askAboutPasted(delay);
    else if (this.#answeredMode !== "fetch" || !this.#answer || this.#edition !== this.#app.store.state.profile) this.#askToFetch();
  }

  #askAboutPasted(delay: number): void {
    const { url, headers, html } = this.#state;
    const { profile } = this.#app.store.state;
    const { content: robots, content_encoding: robots_encoding } = draftContent(this.#app.store.state);
    if (headers.trim() === "" && html.trim() === "") {
      this.#showInstead(emptyNote(this.#app.texts.t("rules_empty")));
      return;
    }
    const missing = noFileNote(this.#app);
    if (missing && this.#app.store.state.closed && this.#draftCounts) {
      this.#showInstead(missing);
      return;
    }
    const body = {
      headers,
      html,
      ...(url.trim() === "" ? {} : { url: url.trim() }),
      ...(this.#draftCounts ? { robots, robots_encoding, profile } : {}),
    };
    this.#send("page", body, "paste", delay);
  }

  #askToFetch(): void {
    this.#showInstead(this.#app.offer?.networkNote() ?? emptyNote(this.#app.texts.t("rules_not_fetched")));
  }

  #fetchPage(): void {
    const address = this.#state.address.trim();
    this.#asked = this.#state;
    if (address === "" || !this.#app.server) return;
    const url = address.includes("://") ? address : `https://${address}`;
    this.#frame.showInstead(loadingNote(this.#app.texts));
    this.#edition = this.#app.store.state.profile;
    this.#send("page/fetch", { url, resources: true, refresh: true, ...edition(this.#edition) }, "fetch", 0);
  }

  #send(path: string, body: object, mode: RulesViewState["mode"], delay: number): void {
    const { answers, texts } = this.#app;
    const agents = this.#agents;
    if (!answers) return;
    if (agents.length === 0) {
      this.#showInstead(emptyNote(texts.t("views_no_crawlers")));
      return;
    }
    this.#frame.busy = true;
    this.#request.schedule(delay, (signal) => answers.post<LivePageRows>(path, { ...body, agents }, signal), {
      done: (answer) => {
        this.#stale = false;
        this.#answer = answer;
        this.#answeredMode = mode;
        this.#frame.busy = false;
        if (answer.resources) this.#resources.show(answer.resources);
        this.#showAnswer(answer);
      },
      failed: (error) => {
        this.#showInstead(failureNote(this.#app, error, () => this.#send(path, body, mode, 0)));
      },
    });
  }

  get #agents(): readonly string[] {
    return this.#app.store.state.crawlers.slice(0, MAX_CRAWLERS);
  }

  /** Whether the draft is the robots.txt of the page: without an origin of either, it is. */
  get #draftCounts(): boolean {
    const page = originOf(this.#state.url);
    const file = originOf(this.#app.store.state.address);
    return page !== null && (file === null || page === file);
  }

  #showInstead(note: HTMLElement): void {
    this.#answer = null;
    this.#request.cancel();
    this.#frame.showInstead(note);
  }

  #showAnswer({ rows, resources }: LivePageRows): void {
    const { texts } = this.#app;
    const first = rows[0];
    if (!first) return;
    const { crawler, use } = this.#state;
    // Control tokens fetch nothing.
    const { registry } = this.#app.verdicts.results.state;
    const unread = rows.filter((row) => !row.fetch_allowed && !registry.isControlToken(row.agent_name)).length;
    const crawlers = texts.t("views_crawlers", { count: rows.length });
    this.#frame.setSummary(unread === 0 ? crawlers : texts.t("rules_summary_unread", { crawlers, count: unread }));
    const column = Math.max(0, rows.findIndex(({ agent_name: name }) => name === crawler));
    this.#grid.update(
      rows.map(({ agent_name: label }) => ({ label, group: crawlerGroup(this.#app, label) })),
      ROWS.map((row) => this.#row(row, rows)),
      { row: ROWS.indexOf(use), column },
    );
    this.#resources.choose(rows[column]?.agent_name ?? "");
    const directives = mostDirectives(rows);
    // Crawlers that may not fetch the page have no answer of its server; others can have one.
    const answered = rows.find(({ fetched }) => fetched !== null && fetched.status !== null) ?? first;
    const isUnknown = answered.fetched?.status === null;
    this.#frame.setBody(
      this.#fetchedNote(answered),
      this.#bodyNote(),
      this.#unseenNotes(rows),
      this.#grid.element,
      isUnknown
        ? null
        : h(
            "section",
            { class: "records" },
            h("h3", {}, texts.t("rules_all")),
            directives.length === 0
              ? h("p", { class: "soft" }, texts.t("rules_none"))
              : ruleList(texts, directives, this.#places),
          ),
      this.#otherNotes(first, rows.length),
      resources ? this.#resources.element : null,
    );
    const chosen = rows[column];
    if (chosen) this.#frame.setExplanation(explainUse(texts, chosen, use, this.#places));
    this.#markRobots(chosen);
  }

  #row(use: Use | "fetch", rows: readonly PageRow[]): GridRow {
    const { texts } = this.#app;
    const label = texts.t(USE_TEXTS[use]);
    return {
      head: h("span", { class: "row-name" }, label),
      cells: rows.map((row) => {
        const state = useState(row, use);
        return { mark: state, name: texts.t("rules_cell", { crawler: row.agent_name, use: label, state: texts.t(STATE_TEXTS[state]) }) };
      }),
    };
  }

  readonly #places: Places = {
    rule: (position) => this.#rulePlace(position),
    robots: (line) => {
      if (this.#answeredMode === "paste") return lineButton(this.#app.texts, line, (at) => this.#goTo(at));
      return h("span", {}, this.#app.texts.t("rules_live_line", { line }));
    },
  };

  #goTo(line: number): void {
    this.#frame.showInput();
    this.#input.goTo(line);
  }

  #rulePlace(position: RulePosition): HTMLElement {
    const { texts } = this.#app;
    const { source, number, line } = position;
    const text =
      source === "meta" || source === "tdm-meta"
        ? texts.t("rules_place_meta", { line: line ?? 0 })
        : texts.t("rules_place_header", { name: HEADER_NAMES[source] ?? source, number });
    const { headers, html } = this.#state;
    const place = this.#answeredMode === "paste" ? placeOf(position, headers, html) : null;
    if (!place) return h("span", {}, text);
    const select = (): void => {
      this.#frame.showInput();
      this.#input.select(place);
    };
    return h("button", { type: "button", class: "line-button", on: { click: select } }, text);
  }

  #unseenNotes(rows: readonly PageRow[]): Child {
    const { texts } = this.#app;
    const unseen = unseenRules(rows);
    if (unseen.length === 0) return null;
    const rules = [...new Set(unseen.flatMap(({ rules: all }) => all))];
    return h(
      "div",
      { class: "note warning unseen-note", "data-result": "unseen" },
      h(
        "p",
        {},
        texts.nodes("rules_unseen", { rules: h("span", {}, texts.listNodes(rules.map((rule) => h("code", {}, rule)))) }),
      ),
      h(
        "ul",
        {},
        unseen.map(({ line, crawlers }) =>
          h("li", {}, line === 0 ? texts.t("rules_blocked_site") : this.#places.robots(line), h("span", {}, texts.list(crawlers))),
        ),
      ),
    );
  }

  /** Text after pasted headers is not read. */
  #bodyNote(): Child {
    if (this.#answeredMode !== "paste" || !responseHead(this.#state.headers).hasBody) return null;
    return h("p", { class: "note", "data-result": "rules-body" }, this.#app.texts.t("rules_headers_end"));
  }

  #fetchedNote({ fetched, robots }: PageRow): Child {
    const { texts } = this.#app;
    if (!fetched) return this.#draftCounts || this.#state.url.trim() === "" ? null : h("p", { class: "note" }, texts.t("rules_other_host"));
    const blocked = robots?.rule ? "rules_page_blocked" : "rules_blocked_site";
    const answered = fetched.hops.length === 0 ? "rules_page_answered" : "rules_page_redirected";
    const status = texts.t(fetched.status === null ? blocked : answered, { status: String(fetched.status), count: fetched.hops.length });
    // Without a live file, none counts.
    const counts = fetched.status === null && !robots?.rule ? null : [" ", texts.t("rules_live_counts")];
    return h("div", { class: "note fetched-note", "data-result": "fetched" }, h("p", {}, h("code", {}, fetched.url)), h("p", {}, status, counts));
  }

  #otherNotes({ page }: PageRow, shown: number): Child {
    const { texts, store } = this.#app;
    const notes = [
      page.links.length > 0 ? texts.t("rules_links", { count: page.links.length }) : null,
      page.no_snippets.length > 0 ? texts.t("rules_no_snippets", { count: page.no_snippets.length }) : null,
      page.notes.includes("not-html") ? texts.t("rules_not_html") : null,
      page.notes.includes("html-truncated") ? texts.t("rules_truncated") : null,
      store.state.crawlers.length > shown ? texts.t("rules_first_crawlers", { count: shown }) : null,
    ];
    return notes.map((text) => text && h("p", { class: "soft small page-note" }, text));
  }

  #markRobots(row: PageRow | undefined): void {
    const line = this.#answeredMode === "paste" ? row?.robots?.rule?.line : undefined;
    const kind = row?.fetch_allowed ? "allows" : "blocks";
    this.#input.file.mark(line === undefined ? [] : [{ line, kind, text: this.#app.texts.t("views_decides") }]);
  }
}

const HEADER_NAMES: Readonly<Record<string, string>> = {
  "x-robots-tag": "X-Robots-Tag",
  "robots-tag": "Robots-Tag",
  "tdm-header": "TDM-Reservation",
  "tdmrep.json": "tdmrep.json",
};

/** A page that is fetched is empty for crawlers that may not fetch it. */
function mostDirectives(rows: readonly PageRow[]): PageRow["page"]["directives"] {
  const lists = rows.map(({ page }) => page.directives);
  const longest = lists.reduce((most, list) => (list.length > most.length ? list : most), lists[0] ?? []);
  return [...longest.filter(hasEffect), ...longest.filter((directive) => !hasEffect(directive))];
}

function originOf(address: string): string | null {
  try {
    return new URL(address).origin;
  } catch {
    return null;
  }
}
