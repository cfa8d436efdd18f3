/** Usage: what the file states about search, AI input and training, beside what each crawler may fetch. */

import type { CrawlerUsesObject, UsagePurpose, UseTableObject } from "../api-types.js";
import type { App, View, ViewFactory } from "../app.js";
import { isInvalidUtf16 } from "../bytes.js";
import { fill, h } from "../dom.js";
import { MARKS } from "../engine/engine.js";
import { editedDraft } from "../state.js";
import { CellGrid, type GridCell, type GridRow } from "./parts/cell-grid.js";
import { draftContent, isLargeDraft } from "./parts/draft.js";
import { DraftPanel } from "./parts/draft-panel.js";
import { noFileNote } from "./parts/no-file.js";
import { LatestRequest } from "./parts/latest-request.js";
import { legend } from "./parts/marks.js";
import { PanelFrame } from "./parts/panel-frame.js";
import { emptyNote, failureNote, largeNote, loadingNote } from "./parts/problems.js";
import {
  decidingStatement,
  isItsPurpose,
  isUnread,
  placeText,
  PURPOSES,
  usageState,
} from "./usage/answer.js";
import { explainUsage, PURPOSE_TEXTS, STATE_MARKS, STATE_TEXTS } from "./usage/explanation.js";
import { type Recipe, withStatement } from "./usage/recipes.js";
import { emptyFile, honoursSummary, recordList } from "./usage/records.js";
import type { UsageViewState } from "./usage/state.js";

const DELAY_MS = 300;
const COLUMNS = ["fetch", ...PURPOSES] as const;

export const usageView: ViewFactory = (app) => new UsageView(app);

class UsageView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #draft: DraftPanel;
  readonly #grid: CellGrid;
  readonly #frame: PanelFrame;
  readonly #target: HTMLSelectElement;
  readonly #tdm: HTMLElement;
  readonly #request = new LatestRequest();
  #answer: UseTableObject | null = null;
  /** The state that the last request was about. */
  #asked: UsageViewState | null = null;
  /** A large draft that the user chose to send. */
  #requested: string | null = null;
  #stale = true;

  constructor(app: App) {
    this.#app = app;
    const { texts } = app;
    this.#draft = new DraftPanel(app);
    this.#grid = new CellGrid({
      label: texts.t("usage_grid"),
      corner: texts.t("list_crawler"),
      shape: "words",
      onChoose: ({ row, column }) => {
        const crawler = this.#answer?.crawlers[row]?.agent_name ?? null;
        this.#set({ crawler, column: COLUMNS[column] ?? "training" });
        this.#frame.openExplanation();
      },
    });
    this.#target = h("select", {
      class: "field",
      "data-control": "usage-target",
      on: { change: () => this.#set({ target: this.#target.value }) },
    });
    this.#tdm = this.#tdmFields();
    this.#frame = new PanelFrame(app, {
      name: "usage",
      title: texts.t("view_usage"),
      inputLabel: texts.t("part_file"),
      input: this.#draft.element,
      tools: h("div", { class: "panel-tools" }, h("label", { class: "tool-label" }, texts.t("usage_target"), this.#target)),
      legend: legend(
        [
          ["blocked", texts.t("usage_legend_reserved")],
          ["allowed", texts.t("usage_legend_allowed")],
          ["none", texts.t("usage_legend_none")],
          ["unread", texts.t("usage_state_unread")],
        ],
        h("span", {}, h("span", { class: "legend-dot" }), texts.t("usage_legend_purpose")),
      ),
    });
    this.element = this.#frame.element;
    app.on(["file", "bytes", "crawlers", "profile", "closed"], () => this.#changed());
    app.on(["urls"], () => this.#showTargets());
    app.onResults(["matrix"], () => this.#answer && this.#showAnswer(this.#answer));
    app.on(["usage"], () => this.#changedView());
    app.on(["view"], ({ view }) => {
      if (view !== "usage") this.#request.cancel();
    });
    this.#showTargets();
    this.#frame.setBody(app.offer && !app.answers ? app.offer.note() : loadingNote(texts));
  }

  show(): void {
    if (this.#stale) this.#ask(0);
  }

  drop(): void {
    this.#request.cancel();
    this.#draft.drop();
  }

  get #state(): UsageViewState {
    return this.#app.store.state.usage;
  }

  #set(patch: Partial<UsageViewState>): void {
    this.#app.store.set({ usage: { ...this.#state, ...patch } });
  }

  #changed(): void {
    this.#stale = true;
    if (this.#app.store.state.view === "usage") this.#ask(DELAY_MS);
  }

  #changedView(): void {
    const asked = this.#asked;
    const { target, headers, tdmFile } = this.#state;
    const same = asked?.target === target && asked.headers === headers && asked.tdmFile === tdmFile;
    if (!same) {
      this.#showTargets();
      this.#changed();
    }
    if (this.#answer) this.#showAnswer(this.#answer);
  }

  #ask(delay: number): void {
    const { answers, store, texts } = this.#app;
    if (!answers) return;
    const { crawlers, profile, file, closed } = store.state;
    const missing = noFileNote(this.#app);
    if (missing && closed) {
      this.#showInstead(missing);
      return;
    }
    if (crawlers.length === 0) {
      this.#showInstead(emptyNote(texts.t("views_no_crawlers")));
      return;
    }
    if (isLargeDraft(store.state) && this.#requested !== file) {
      this.#showInstead(
        largeNote(texts, file.length, () => {
          this.#requested = file;
          this.#ask(0);
        }),
      );
      return;
    }
    const { target, headers, tdmFile } = (this.#asked = this.#state);
    this.#frame.busy = true;
    this.#request.schedule(
      delay,
      (signal) =>
        answers.post<UseTableObject>(
          "use",
          {
            ...draftContent(store.state),
            url: target,
            agents: crawlers,
            profile,
            headers,
            tdm_file: tdmFile.trim() === "" ? null : tdmFile,
          },
          signal,
        ),
      {
        done: (answer) => {
          this.#stale = false;
          this.#answer = answer;
          this.#frame.busy = false;
          this.#showAnswer(answer);
        },
        failed: (error) => {
          this.#showInstead(failureNote(this.#app, error, () => this.#ask(0)));
        },
      },
    );
  }

  #showInstead(note: HTMLElement): void {
    this.#answer = null;
    this.#request.cancel();
    this.#frame.showInstead(note, this.#tdm);
    this.#draft.mark([]);
  }

  #showAnswer(answer: UseTableObject): void {
    const { texts } = this.#app;
    const { crawlers } = answer;
    const chosen = this.#chosen(answer);
    const reserved = crawlers.reduce((sum, crawler) => {
      return sum + PURPOSES.filter((purpose) => usageState(crawler, purpose) === "reserved").length;
    }, 0);
    const shown = texts.t("views_crawlers", { count: crawlers.length });
    this.#frame.setSummary(texts.t("usage_summary", { crawlers: shown, reserved }));
    this.#grid.update(
      COLUMNS.map((column) => ({
        label: texts.t(column === "fetch" ? "usage_fetch" : PURPOSE_TEXTS[column]),
        group: texts.t(column === "fetch" ? "view_access" : "usage_group_preferences"),
      })),
      crawlers.map((crawler) => this.#row(crawler)),
      chosen,
    );
    this.#frame.setBody(
      statesNothing(answer) ? emptyFile(texts, reserved > 0, (recipe) => this.#add(recipe)) : null,
      this.#grid.element,
      h("p", { class: "note honours-note", "data-result": "honours" }, honoursSummary(texts, crawlers)),
      recordList(texts, answer, this.#goTo),
      this.#tdm,
    );
    const crawler = crawlers[chosen.row];
    const column = COLUMNS[chosen.column];
    if (!crawler || !column) return;
    this.#frame.setExplanation(explainUsage(texts, answer, crawler, column, this.#goTo));
    this.#markLines(crawler, column);
  }

  readonly #goTo = (line: number): void => {
    this.#frame.showInput();
    this.#draft.goTo(line);
  };

  #chosen({ crawlers }: UseTableObject): { row: number; column: number } {
    const { crawler, column } = this.#state;
    const byName = crawlers.findIndex(({ agent_name: name }) => name === crawler);
    const row = byName >= 0 ? byName : crawlers.findIndex((one) => isItsPurpose(one, "training"));
    return { row: Math.max(0, row), column: COLUMNS.indexOf(column) };
  }

  #row(crawler: CrawlerUsesObject): GridRow {
    const { texts } = this.#app;
    const { agent_name: name, operator } = crawler;
    return {
      head: [h("span", { class: "row-name" }, name), h("span", { class: "row-detail" }, operator ?? "")],
      cells: [this.#fetchCell(crawler), ...PURPOSES.map((purpose): GridCell => {
        const state = usageState(crawler, purpose);
        const deciding = decidingStatement(crawler.uses[purpose]);
        const place = deciding ? placeText(texts, deciding) : "";
        return {
          mark: STATE_MARKS[state],
          text: state === "none" || state === "unread" ? "" : texts.t(STATE_TEXTS[state]),
          dotted: isItsPurpose(crawler, purpose),
          name: texts.t(`usage_cell_${state}`, { crawler: name, purpose: texts.t(PURPOSE_TEXTS[purpose]), place }),
        };
      })],
    };
  }

  #fetchCell({ agent_name: crawler, allowed, line, control_token: isToken }: CrawlerUsesObject): GridCell {
    const { texts } = this.#app;
    const nothing = texts.t("usage_fetches_nothing");
    if (isToken) return { mark: "unread", text: nothing, name: `${crawler}: ${nothing}` };
    const listed = this.#listed(crawler);
    const key = allowed
      ? line === null ? "usage_fetch_no_rule" : "usage_fetch_allowed_by"
      : line === null ? "usage_fetch_blocked" : "usage_fetch_blocked_by";
    const sentence = texts.t(key, { crawler, line: this.#line(line) });
    return {
      mark: !allowed ? "blocked" : line === null ? "none" : "allowed",
      ...(listed ? { text: texts.t("usage_listed_short", listed) } : {}),
      name: listed ? `${sentence} ${texts.t("usage_listed", listed)}` : sentence,
    };
  }

  /** The number of listed URLs that a crawler may fetch, as the engine decides. */
  #listed(crawler: string): { count: number; total: number } | null {
    const { matrix, question } = this.#app.verdicts.results.state;
    const column = question?.crawlers.indexOf(crawler) ?? -1;
    if (!matrix || column < 0 || matrix.rows === 0) return null;
    let count = 0;
    let total = 0;
    for (let row = 0; row < matrix.rows; row++) {
      const found = matrix.marks[row * matrix.columns + column];
      if (found === MARKS.none || found === MARKS.allowed) count += 1;
      if (found !== MARKS.unanswered) total += 1;
    }
    return { count, total };
  }

  #line(line: number | null): string {
    return this.#app.texts.t("views_line", { line: line ?? 0 });
  }

  #markLines(crawler: CrawlerUsesObject, column: UsagePurpose | "fetch"): void {
    const { texts } = this.#app;
    const decides = texts.t("views_decides");
    if (column === "fetch" || isUnread(crawler)) {
      const { line, allowed } = crawler;
      this.#draft.mark(line === null ? [] : [{ line, kind: allowed ? "allows" : "blocks", text: decides }]);
      return;
    }
    const deciding = decidingStatement(crawler.uses[column]);
    this.#draft.mark(
      crawler.uses[column].statements.flatMap((statement) => {
        const { line, preference, kind } = statement;
        if (line === null || kind === "license" || preference === "unknown") return [];
        const decisive = preference === "disallow" ? "blocks" : "allows";
        return [
          {
            line,
            kind: statement === deciding ? decisive : "matches",
            text: statement === deciding ? decides : texts.t("usage_remark_other"),
          },
        ];
      }),
    );
  }

  #add(recipe: Recipe): void {
    const { texts, store, toast } = this.#app;
    if (isInvalidUtf16(store.state.bytes)) return toast(texts.t("file_locked"));
    store.set(editedDraft(store.state, withStatement(store.state.file, recipe), "edit"));
    toast(texts.t("usage_added"));
  }

  #tdmFields(): HTMLElement {
    const { texts } = this.#app;
    const { headers, tdmFile } = this.#state;
    const area = (value: string, label: string, control: string, take: (text: string) => void): HTMLElement => {
      const field = h("textarea", {
        class: "field",
        rows: 3,
        spellcheck: "false",
        "data-control": control,
        on: { input: () => take(field.value) },
      });
      field.value = value;
      return h("label", { class: "stacked-label" }, label, field);
    };
    return h(
      "details",
      { class: "more", open: headers !== "" || tdmFile !== "" },
      h("summary", {}, texts.t("usage_tdm_add")),
      area(headers, texts.t("usage_tdm_headers"), "tdm-headers", (text) => this.#set({ headers: text })),
      area(tdmFile, texts.t("usage_tdm_file"), "tdm-file", (text) => this.#set({ tdmFile: text })),
    );
  }

  #showTargets(): void {
    const { urls } = this.#app.store.state;
    const { target } = this.#state;
    const targets = [...new Set(["/", target, ...urls.slice(0, 500)])];
    fill(this.#target, targets.map((url) => h("option", { value: url }, url)));
    this.#target.value = target;
  }

}

function statesNothing({ records, crawlers }: UseTableObject): boolean {
  const isElsewhere = crawlers.some(({ uses }) =>
    Object.values(uses).some(({ statements }) => statements.some(({ source }) => source !== "robots.txt")),
  );
  return records.every(({ name }) => name === "license") && !isElsewhere;
}
