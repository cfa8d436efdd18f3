/** The matrix with its toolbar: rows, columns, reading, and only the rows where readings differ. */

import type { App } from "../../app.js";
import { fill, h, icon } from "../../dom.js";
import type { ShownVerdicts } from "../../export/table.js";
import { hasRules, MARKS, type RowProblem } from "../../engine/types.js";
import { areMadeRows } from "../../example.js";
import { ICONS } from "../../icons.js";
import { EDITIONS, profileName } from "../../profiles.js";
import { listedSitemaps, ROW_TEXTS, rowOutcome, type RowText, rowText, urlsText } from "../../rows.js";
import { type Cell, isDecidedByPolicy } from "../../state.js";
import { legendMarks, reasonOf, verdictKey } from "./cell-marks.js";
import { Grid, type GridData } from "./grid.js";
import type { Column } from "./grid-head.js";
import { filteredRows, isFiltering, NO_FILTER, ROW_KINDS, type RowFilter, type RowKind } from "./row-filter.js";
import { QUIET_MS } from "../../live-region.js";
import { onDemand, openDialog, prefetch } from "../../on-demand.js";
import type { UrlsOptions } from "./urls-dialog.js";

/** Parts that the first verdicts do not need. They are loaded after these, so that they also open without the network. */
const PARTS = {
  list: () => import("./verdict-list.js"),
  urls: () => import("./urls-dialog.js"),
  crawlers: () => import("./crawlers-dialog.js"),
  keys: () => import("../../keys-dialog.js"),
  export: () => import("../../export/dialog.js"),
} as const;

export interface VerdictPanel {
  readonly element: HTMLElement;
  focusGrid(): void;
}

const LIVE_MARKS = ["blocked", "allowed", "none"] as const;

export function verdictPanel(app: App, explain: (cell: Cell) => void): VerdictPanel {
  const { store, texts, verdicts } = app;
  const { results } = verdicts;

  let data: GridData = { rows: [], problems: [], columns: [], shown: [], marks: null, differs: null };
  /** The number of blocked cells before the changes that have not been announced yet, and the cells. */
  let announced: { readonly blocked: number; readonly urls: readonly string[]; readonly crawlers: readonly string[] } | null = null;
  let announcedTimer = 0;

  const grid = new Grid(
    {
      label: texts.t("grid_label"),
      corner: texts.t("list_url"),
      edge: texts.t("grid_edge"),
      cell: (row, column, index) => cellName(row, column, index),
      problem: problemText,
    },
    explain,
  );

  const summary = h("span", { class: "soft small", "data-summary": true });
  const profile = h("select", {
    id: "profile",
    "data-control": "profile",
    on: { change: () => store.set({ profile: profile.value }) },
  });
  const differCount = h("span", { class: "count", "data-differs": true });
  const onlyDiffering = h(
    "button",
    {
      type: "button",
      class: "button push differ-button",
      "data-control": "only-differing",
      title: texts.t("only_differing"),
      on: { click: () => store.set({ onlyDiffering: !store.state.onlyDiffering }) },
    },
    h("span", { class: "corner", "aria-hidden": "true" }),
    h("span", { class: "differ-label" }, texts.t("only_differing")),
    differCount,
  );
  const filterText = h("input", {
    class: "field filter-text",
    type: "search",
    spellcheck: "false",
    placeholder: texts.t("filter_text"),
    "aria-label": texts.t("filter_text"),
    "data-control": "filter-text",
    on: { input: () => filter({ text: filterText.value.trim() }) },
  });
  const filterKind = h(
    "select",
    {
      class: "field",
      "aria-label": texts.t("filter_kind"),
      "data-control": "filter-kind",
      on: { change: () => filter({ kind: filterKind.value as RowKind }) },
    },
    ROW_KINDS.map((kind) => h("option", { value: kind }, texts.t(`filter_${kind}`))),
  );
  const filterCrawler = h("select", {
    class: "field filter-crawler",
    "aria-label": texts.t("list_crawler"),
    "data-control": "filter-crawler",
    on: { change: () => filter({ crawler: filterCrawler.value }) },
  });
  const filterLine = h("input", {
    class: "field filter-line",
    type: "number",
    min: 1,
    inputmode: "numeric",
    placeholder: texts.t("filter_line"),
    "aria-label": texts.t("filter_line_label"),
    "data-control": "filter-line",
    on: { input: () => filter({ line: Math.max(0, Math.trunc(filterLine.valueAsNumber) || 0) }) },
  });
  const filterCount = h("span", { class: "soft small", role: "status", "data-result": "filter" });
  const filters = h(
    "div",
    { class: "filters", role: "group", "aria-label": texts.t("filter_button"), hidden: true },
    filterText,
    filterKind,
    filterCrawler,
    filterLine,
    filterCount,
  );
  const filterButton = h(
    "button",
    {
      type: "button",
      class: "button",
      "data-control": "filter",
      on: {
        click: () => {
          const isOpen = Boolean(filters.hidden);
          if (!isOpen) store.set({ filter: NO_FILTER });
          openFilters(isOpen);
          if (isOpen) filterText.focus();
        },
      },
    },
    texts.t("filter_button"),
  );
  const filter = (patch: Partial<RowFilter>): void => store.set({ filter: { ...store.state.filter, ...patch } });
  const openFilters = (isOpen: boolean): void => {
    filters.hidden = !isOpen;
    filterButton.setAttribute("aria-expanded", String(isOpen));
  };
  const asList = h(
    "button",
    {
      type: "button",
      class: "button",
      "data-control": "as-list",
      on: { click: () => store.set({ asList: !store.state.asList }) },
    },
    texts.t("as_list"),
  );
  const sitemap = h(
    "button",
    {
      type: "button",
      class: "button",
      "data-control": "rows-sitemap",
      on: { click: () => editUrls({ isOwn: true, isSitemapAsked: true }) },
    },
    texts.t("rows_sitemap"),
  );
  const rowsChosen = h("span", { class: "soft small" }, texts.t("rows_chosen"));
  const invitation = h(
    "div",
    { class: "invitation", hidden: true, "data-result": "invitation" },
    rowsChosen,
    h(
      "button",
      {
        type: "button",
        class: "button",
        "data-control": "rows-paste",
        on: { click: () => editUrls({ isOwn: true }) },
      },
      texts.t("rows_paste"),
    ),
    sitemap,
  );
  const body = h("div", { class: "verdict-body" });
  const message = h("div", { class: "empty-message", hidden: true });
  const button = (name: string, text: string, click: () => void): HTMLElement =>
    h("button", { type: "button", class: "button", "data-control": name, on: { click } }, text);

  const exportButton = h(
    "button",
    { type: "button", class: "button", "data-control": "export", disabled: true, on: { click: showExport } },
    texts.t("export_button"),
  );

  const legend = h("div", { class: "legend", "aria-hidden": "true" });
  const element = h(
    "section",
    { class: "panel verdict-panel", "data-part": "verdicts", "aria-label": texts.t("verdicts_title") },
    h(
      "div",
      { class: "verdict-top" },
      h(
        "div",
        { class: "panel-head" },
        h("h2", {}, texts.t("verdicts_title")),
        summary,
        h(
          "label",
          { class: "button select-button push" },
          h("span", { class: "soft" }, texts.t("read_as")),
          profile,
          icon(...ICONS.down),
        ),
      ),
      h(
        "div",
        { class: "verdict-tools" },
        button("urls", texts.t("urls_title"), () => editUrls()),
        button("crawlers", texts.t("crawlers_title"), () => void openDialog(app, PARTS.crawlers(), (part) => part.chooseCrawlers(app))),
        asList,
        filterButton,
        exportButton,
        onlyDiffering,
      ),
      filters,
    ),
    invitation,
    body,
    message,
    h(
      "div",
      { class: "panel-foot" },
      legend,
      h(
        "span",
        { class: "push foot-buttons" },
        h(
          "button",
          { type: "button", class: "button plain", "data-control": "keys", on: { click: showKeys } },
          h("kbd", { "aria-hidden": "true" }, "?"),
          texts.t("keys_button"),
        ),
      ),
    ),
  );

  function cellName(row: RowText, { token }: Column, index: number): string {
    const { matrix } = results.state;
    const values = { crawler: token, path: row.path + row.query };
    if (isDecidedByPolicy(store.state) && matrix?.marks[index] !== MARKS.unanswered) {
      const mark = store.state.closed ? "blocked" : "none";
      return texts.t("cell_site", { ...values, verdict: texts.t(verdictKey(mark, token, results.state.registry, store.state)) });
    }
    if (!matrix) return texts.t("cell_pending", values);
    const line = matrix.lines[index] ?? 0;
    const blocked = results.state.registry.isControlToken(token) ? "cell_denied" : "cell_blocked";
    const name = { [MARKS.none]: "cell_none", [MARKS.allowed]: "cell_allowed", [MARKS.blocked]: blocked } as const;
    const key = name[matrix.marks[index] as keyof typeof name] ?? "cell_invalid";
    const text = texts.t(key, { ...values, line });
    return results.state.differs?.[index] ? texts.t("cell_differs", { cell: text }) : text;
  }

  function problemText(problem: RowProblem, { text }: RowText): string {
    const outcome = problem === "invalid-url" ? "invalid" : rowOutcome(text, store.state.address);
    return texts.t(ROW_TEXTS[outcome ?? "other-host"]);
  }

  function updateLegend(): void {
    const marks = legendMarks(LIVE_MARKS, store.state).map((mark) =>
      h("span", {}, h("span", { class: `cell ${mark}` }), texts.t(`legend_${reasonOf(mark, store.state)}`)),
    );
    const differs = h("span", {}, h("span", { class: "corner" }), texts.t("legend_differs"));
    fill(legend, marks, isDecidedByPolicy(store.state) ? null : differs);
  }

  function updateData(): void {
    const { question, matrix, differs, changed, registry } = results.state;
    const { onlyDiffering: only, address, filter: rowFilter, closed } = store.state;
    const urls = question?.urls ?? store.state.urls;
    const crawlers = question?.crawlers ?? store.state.crawlers;
    const isSame = data.rows.length === urls.length && data.rows.every(({ text }, index) => text === urls[index]);
    const rows = isSame ? data.rows : urls.map((url) => rowText(url, address));
    const columns = toColumns(crawlers);
    const marks = matrix && closed ? closedMarks(matrix.marks) : (matrix?.marks ?? null);
    const cells = {
      columns: columns.length,
      // Control tokens fetch nothing, so no URL is blocked for them.
      fetching: [...columns.keys()].filter((column) => !registry.isControlToken(columns[column]?.token ?? "")),
      crawler: crawlers.indexOf(rowFilter.crawler),
      marks,
      lines: matrix?.lines ?? null,
      changed,
      differs: only ? differs : null,
    };
    const shown = filteredRows(urls, cells, rowFilter);
    data = {
      rows,
      problems: equal(data.problems, matrix?.rowProblems ?? []) ? data.problems : (matrix?.rowProblems ?? []),
      columns: sameColumns(columns, data.columns) ? data.columns : columns,
      shown: equal(shown, data.shown) ? data.shown : shown,
      marks,
      differs: closed ? null : differs,
    };
    grid.setData(data);
    updateFilterCrawlers();
    element.classList.toggle("pending", matrix === null);
    element.classList.toggle("closed", closed);
    updateMessage();
    updateSummary();
    if (store.state.asList) showList();
    element.dataset["generation"] = String(Number(element.dataset["generation"] ?? 0) + 1);
  }

  function toColumns(crawlers: readonly string[]): Column[] {
    const { registry } = results.state;
    let last = "";
    return crawlers.map((token) => {
      const group = registry.groupOf(token);
      const isFirst = group !== last;
      last = group;
      return { token, purpose: texts.t(`purpose_${group}`), isFirst };
    });
  }

  function updateMessage(): void {
    const { engine, failure, matrix } = results.state;
    message.hidden = true;
    body.hidden = false;
    const show = (...children: Parameters<typeof fill>[1][]): void => {
      fill(message, ...children);
      message.hidden = false;
    };
    if (engine === "failed") {
      body.hidden = true;
      show(
        h("p", { class: "message-title" }, texts.t("engine_failed")),
        h("p", { class: "soft small" }, failure),
        h(
          "button",
          { type: "button", class: "button", "data-control": "retry", on: { click: () => void verdicts.start() } },
          texts.t("views_retry"),
        ),
      );
    } else if (matrix && data.rows.length === 0) {
      show(h("p", {}, texts.t("no_rows")));
    } else if (matrix && data.columns.length === 0) {
      show(h("p", {}, texts.t("no_columns")));
    } else if (matrix && isFiltering(store.state.filter) && data.shown.length === 0) {
      show(h("p", {}, texts.t("no_filtered")));
    } else if (matrix && store.state.onlyDiffering && data.shown.length === 0) {
      show(h("p", {}, texts.t("no_differences")));
    }
  }

  function updateSummary(): void {
    const { matrix, question, registry } = results.state;
    // Control tokens fetch nothing, so they do not count.
    const fetching = data.columns.map(({ token }) => !registry.isControlToken(token));
    const isCounted = (mark: number, at: number): boolean => mark === MARKS.blocked && fetching[at % fetching.length] === true;
    const rows = data.rows.filter((_, row) => !data.problems[row]).length;
    const blocked = data.marks?.reduce((sum, mark, at) => sum + Number(isCounted(mark, at)), 0) ?? 0;
    exportButton.disabled = matrix === null;
    const crawlers = fetching.filter(Boolean).length;
    const total = rows * crawlers;
    summary.textContent = matrix
      ? texts.t("verdicts_summary", {
          urls: urlsText(texts, rows, data.rows.length - rows),
          crawlers: texts.t("crawlers_count", { count: crawlers }),
          blocked: texts.number(blocked),
        })
      : "";
    const isPartial = isFiltering(store.state.filter) || store.state.onlyDiffering;
    filterCount.textContent = matrix && isPartial
      ? texts.t("filter_shown", { count: data.shown.length, total: data.rows.length })
      : "";
    // While a site is closed, every reading blocks everything.
    const differing = data.differs?.reduce((sum, differs) => sum + differs, 0) ?? (store.state.closed ? 0 : null);
    differCount.textContent = matrix && differing !== null ? texts.number(differing) : "–";
    if (!matrix || !question) return;
    const now = { blocked, urls: question.urls, crawlers: question.crawlers };
    announced ??= now;
    if (!equal(announced.urls, now.urls) || !equal(announced.crawlers, now.crawlers)) {
      app.announce(texts.t("live_now", { count: blocked, total }));
    } else if (announced.blocked !== blocked) {
      const change = texts.number(Math.abs(blocked - announced.blocked));
      const key = blocked > announced.blocked ? "live_more" : "live_fewer";
      app.announce(texts.t(key, { count: blocked, total, change }));
    }
    clearTimeout(announcedTimer);
    announcedTimer = window.setTimeout(() => {
      announced = now;
    }, QUIET_MS);
  }

  function showKeys(): void {
    void openDialog(app, PARTS.keys(), (part) => part.showKeys(app));
  }

  /** An export has the verdicts on the file of the page, also if they are still computed. */
  async function showExport(): Promise<void> {
    if (!(await verdicts.settled())) return;
    results.flush();
    const shown = (): ShownVerdicts => ({ data, problem: problemText });
    void openDialog(app, PARTS.export(), (part) => part.showExport(app, shown));
  }

  function showList(): void {
    void onDemand(app, PARTS.list(), ({ verdictList }) => {
      if (store.state.asList) fill(body, verdictList(app, data, problemText, explain));
    });
  }

  function updateControls(): void {
    const { onlyDiffering: only, asList: list } = store.state;
    onlyDiffering.setAttribute("aria-pressed", String(only));
    asList.setAttribute("aria-pressed", String(list));
    if (list) showList();
    else if (body.firstChild !== grid.element) {
      fill(body, grid.element);
      grid.setSelected(store.state.selected);
    }
  }

  function editUrls(options?: UrlsOptions): void {
    void openDialog(app, PARTS.urls(), (part) => part.editUrls(app, options));
  }

  function updateFilterCrawlers(): void {
    const { crawler, kind } = store.state.filter;
    const every = texts.t(kind === "allowed" ? "filter_every" : "filter_any");
    const named = data.columns.map(({ token }) => h("option", { value: token, translate: "no" }, token));
    fill(filterCrawler, h("option", { value: "" }, every), named);
    filterCrawler.value = data.columns.some(({ token }) => token === crawler) ? crawler : "";
    filterCrawler.disabled = kind === "mixed";
  }

  function updateFilters(): void {
    const { filter: current } = store.state;
    if (document.activeElement !== filterText) filterText.value = current.text;
    filterKind.value = current.kind;
    if (document.activeElement !== filterLine) filterLine.value = current.line === 0 ? "" : String(current.line);
    if (isFiltering(current)) openFilters(true);
  }

  function updateInvitation(): void {
    const { file, address } = store.state;
    invitation.hidden = !areMadeRows(store.state) || results.state.engine === "failed";
    rowsChosen.hidden = !hasRules(results.state.info);
    sitemap.hidden = !app.server || listedSitemaps(file, address).length === 0;
  }

  function updateProfiles(): void {
    const { engine } = results.state;
    const names = engine === "ready" ? verdicts.profiles : [store.state.profile];
    fill(
      profile,
      EDITIONS.map(({ label, profiles }) => {
        const offered = profiles.filter((name) => names.includes(name));
        const options = offered.map((name) => h("option", { value: name }, profileName(name, texts)));
        return offered.length > 0 ? h("optgroup", { label: texts.t(label) }, options) : null;
      }),
    );
    profile.value = store.state.profile;
  }

  app.onResults(["matrix", "differs", "registry", "question", "engine"], updateData);
  app.onResults(["engine"], updateProfiles);
  app.onResults(["engine", "info"], updateInvitation);
  app.on(["ownUrls", "urls", "file", "address", "closed"], updateInvitation);
  let shownReason = reasonOf("none", store.state);
  app.on(["closed", "source", "edited", "fetched"], () => {
    const reason = reasonOf("none", store.state);
    if (reason === shownReason) return;
    shownReason = reason;
    updateLegend();
    updateData();
  });
  app.on(["onlyDiffering", "asList"], () => {
    updateControls();
    updateData();
  });
  app.on(["filter"], () => {
    updateFilters();
    updateData();
  });
  app.on(["profile"], () => {
    profile.value = store.state.profile;
  });
  app.on(["selected"], () => grid.setSelected(store.state.selected));
  updateControls();
  updateProfiles();
  updateInvitation();
  openFilters(false);
  updateFilters();
  updateLegend();
  updateData();
  grid.setSelected(store.state.selected);

  void verdicts.started.then(() => prefetch(Object.values(PARTS)));

  return { element, focusGrid: () => grid.focus() };
}

/** The marks of a site that is closed, because its robots.txt is unreachable. */
function closedMarks(marks: Uint8Array): Uint8Array {
  return marks.map((mark) => (mark === MARKS.unanswered ? mark : MARKS.blocked));
}

function sameColumns(a: readonly Column[], b: readonly Column[]): boolean {
  return a.length === b.length && a.every(({ token, purpose }, at) => token === b[at]?.token && purpose === b[at].purpose);
}

function equal<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
