/** The matrix with its toolbar: rows, columns, reading, and only the rows where readings differ. */

import type { App } from "../../app.js";
import { fill, h, icon } from "../../dom.js";
import type { ShownVerdicts } from "../../export/table.js";
import { MARKS, type RowProblem } from "../../engine/types.js";
import { ICONS } from "../../icons.js";
import { profileName } from "../../profiles.js";
import { ROW_TEXTS, rowOutcome, type RowText, rowText } from "../../rows.js";
import type { Cell } from "../../state.js";
import { Grid, type GridData } from "./grid.js";
import type { Column } from "./grid-head.js";
import { QUIET_MS } from "../../live-region.js";
import { onDemand, prefetch } from "../../on-demand.js";
import { verdictList } from "./verdict-list.js";

/** Dialogs that the first verdicts do not need. They are loaded after these, so that they also open without the network. */
const DIALOGS = {
  urls: () => import("./urls-dialog.js"),
  crawlers: () => import("./crawlers-dialog.js"),
  keys: () => import("../../keys-dialog.js"),
  export: () => import("../../export/dialog.js"),
} as const;

export interface VerdictPanel {
  readonly element: HTMLElement;
  focusGrid(): void;
}

const LIVE_MARKS = ["blocked", "allowed", "none", "differs"] as const;

export function verdictPanel(app: App, explain: (cell: Cell) => void): VerdictPanel {
  const { store, texts, verdicts } = app;
  const { results } = verdicts;

  let data: GridData = { rows: [], problems: [], columns: [], shown: [], marks: null, differs: null };
  /** The number of blocked cells before the changes that have not been announced yet. */
  let announced: number | null = null;
  let announcedTimer = 0;

  const grid = new Grid(
    {
      label: texts.t("grid_label"),
      corner: texts.t("grid_corner"),
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
      on: { click: () => store.set({ onlyDiffering: !store.state.onlyDiffering }) },
    },
    h("span", { class: "corner", "aria-hidden": "true" }),
    h("span", { class: "differ-label" }, texts.t("only_differing")),
    differCount,
  );
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
  const body = h("div", { class: "verdict-body" });
  const message = h("div", { class: "empty-message", hidden: true });
  const button = (name: string, text: string, click: () => void): HTMLElement =>
    h("button", { type: "button", class: "button", "data-control": name, on: { click } }, text);

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
        button("urls", texts.t("urls_button"), () => void onDemand(app, DIALOGS.urls(), (part) => part.editUrls(app))),
        button("crawlers", texts.t("crawlers_button"), () => void onDemand(app, DIALOGS.crawlers(), (part) => part.chooseCrawlers(app))),
        asList,
        button("export", texts.t("export_button"), showExport),
        onlyDiffering,
      ),
    ),
    body,
    message,
    h(
      "div",
      { class: "panel-foot" },
      h(
        "div",
        { class: "legend", "aria-hidden": "true" },
        LIVE_MARKS.map((mark) =>
          h(
            "span",
            {},
            h("span", { class: mark === "differs" ? "corner" : `cell ${mark}` }),
            texts.t(`legend_${mark}`),
          ),
        ),
      ),
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
    if (store.state.closed) return texts.t("cell_blocked_site", values);
    if (!matrix) return texts.t("cell_pending", values);
    const line = matrix.lines[index] ?? 0;
    const name = { [MARKS.none]: "cell_none", [MARKS.allowed]: "cell_allowed", [MARKS.blocked]: "cell_blocked" } as const;
    const key = name[matrix.marks[index] as keyof typeof name] ?? "cell_invalid";
    const text = texts.t(key, { ...values, line });
    return results.state.differs?.[index] ? texts.t("cell_differs", { cell: text }) : text;
  }

  function problemText(problem: RowProblem, { text }: RowText): string {
    const outcome = problem === "invalid-url" ? "invalid" : rowOutcome(text, store.state.address);
    return texts.t(ROW_TEXTS[outcome ?? "other-host"]);
  }

  function updateData(): void {
    const { question, matrix, differs, registry } = results.state;
    const { onlyDiffering: only, address } = store.state;
    const urls = question?.urls ?? store.state.urls;
    const crawlers = question?.crawlers ?? store.state.crawlers;
    const isSame = data.rows.length === urls.length && data.rows.every(({ text }, index) => text === urls[index]);
    const rows = isSame ? data.rows : urls.map((url) => rowText(url, address));
    const columns = toColumns(crawlers);
    const shown = shownRows(rows.length, columns.length, only ? differs : null);
    data = {
      rows,
      problems: equal(data.problems, matrix?.rowProblems ?? []) ? data.problems : (matrix?.rowProblems ?? []),
      columns: sameColumns(columns, data.columns) ? data.columns : columns,
      shown: equal(shown, data.shown) ? data.shown : shown,
      marks: matrix && store.state.closed ? closedMarks(matrix.marks) : (matrix?.marks ?? null),
      differs: store.state.closed ? null : differs,
    };
    grid.setData(data);
    element.classList.toggle("pending", matrix === null);
    element.classList.toggle("closed", store.state.closed);
    updateMessage(registry.crawlers.length > 0);
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

  function updateMessage(isReady: boolean): void {
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
          texts.t("engine_retry"),
        ),
      );
    } else if (isReady && data.rows.length === 0) {
      show(h("p", {}, texts.t("no_rows")));
    } else if (isReady && data.columns.length === 0) {
      show(h("p", {}, texts.t("no_columns")));
    } else if (matrix && store.state.onlyDiffering && data.shown.length === 0) {
      show(h("p", {}, texts.t("no_differences")));
    }
  }

  function updateSummary(): void {
    const { matrix } = results.state;
    const count = (marks: Uint8Array | null, wanted: number): number => {
      let found = 0;
      for (const mark of marks ?? []) if (mark === wanted) found += 1;
      return found;
    };
    const blocked = count(data.marks, MARKS.blocked);
    const total = data.rows.length * data.columns.length;
    summary.textContent = texts.t("verdicts_summary", {
      urls: texts.t("urls_count", { count: data.rows.length }),
      crawlers: texts.t("crawlers_count", { count: data.columns.length }),
      blocked: texts.number(blocked),
    });
    const differing = count(data.differs, 1);
    differCount.textContent = texts.number(differing);
    if (!matrix) return;
    announced ??= blocked;
    if (announced !== blocked) {
      const change = texts.number(Math.abs(blocked - announced));
      const key = blocked > announced ? "live_more" : "live_fewer";
      app.announce(texts.t(key, { count: blocked, total, change }));
    }
    clearTimeout(announcedTimer);
    announcedTimer = window.setTimeout(() => {
      announced = blocked;
    }, QUIET_MS);
  }

  function showKeys(): void {
    void onDemand(app, DIALOGS.keys(), (part) => part.showKeys(app));
  }

  function showExport(): void {
    const shown = (): ShownVerdicts => ({ data, problem: problemText });
    void onDemand(app, DIALOGS.export(), (part) => part.showExport(app, shown));
  }

  function showList(): void {
    fill(body, verdictList(app, data, problemText, explain));
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

  function updateProfiles(): void {
    const { engine } = results.state;
    const names = engine === "ready" ? verdicts.profiles : [store.state.profile];
    fill(
      profile,
      names.map((name) => h("option", { value: name }, profileName(name, texts))),
    );
    profile.value = store.state.profile;
  }

  app.onResults(["matrix", "differs", "registry", "question", "engine"], updateData);
  app.onResults(["engine"], updateProfiles);
  app.on(["closed"], updateData);
  app.on(["onlyDiffering", "asList"], () => {
    updateControls();
    updateData();
  });
  app.on(["profile"], () => {
    profile.value = store.state.profile;
  });
  app.on(["selected"], () => grid.setSelected(store.state.selected));
  updateControls();
  updateProfiles();
  updateData();
  grid.setSelected(store.state.selected);

  void verdicts.started.then(() => prefetch(Object.values(DIALOGS)));

  return { element, focusGrid: () => grid.focus() };
}

function shownRows(rows: number, columns: number, differs: Uint8Array | null): number[] {
  const all = Array.from({ length: rows }, (_, row) => row);
  if (!differs) return all;
  return all.filter((row) => differs.subarray(row * columns, (row + 1) * columns).includes(1));
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
