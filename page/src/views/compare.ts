/** Compare: which verdicts change between another version of the file and the draft, and the changed lines beside them. */

import type { Comparison as ServerComparison } from "../api-types.js";
import type { App, View, ViewFactory } from "../app.js";
import type { Registry } from "../crawlers.js";
import { type Child, fill, h, wrappable } from "../dom.js";
import { profileName } from "../profiles.js";
import type { State } from "../state.js";
import { beforePane } from "./compare/before-pane.js";
import {
  type Change,
  changeName,
  comparedContents,
  comparedCrawlers,
  Comparer,
  type Comparison,
  type Outcome,
} from "./compare/comparison.js";
import { DiffView } from "./compare/diff-view.js";
import { explainChange } from "./compare/explanation.js";
import { beforeOf } from "./compare/before.js";
import type { CompareViewState } from "./compare/state.js";
import { CellGrid, type GridCell } from "./parts/cell-grid.js";
import { crawlerGroup } from "./parts/crawler-group.js";
import { proofSection } from "./compare/proof.js";
import { DraftPanel } from "./parts/draft-panel.js";
import { isLargeDraft } from "./parts/draft.js";
import { LatestRequest } from "./parts/latest-request.js";
import { legend } from "./parts/marks.js";
import { noFileNote } from "./parts/no-file.js";
import { PanelFrame } from "./parts/panel-frame.js";
import { LARGE_DRAFT_CHARACTERS, loadingNote } from "./parts/problems.js";
import { Segments } from "./parts/segments.js";

const DELAY_MS = 150;
const PROOF_DELAY_MS = 500;
/** More rows are shown on request. */
const MAX_ROWS = 200;
const CHANGE_TEXTS = { blocked: "compare_newly_blocked", allowed: "compare_newly_allowed", same: "compare_same" } as const;
const OUTCOMES: readonly Outcome[] = ["blocked", "allowed"];
const PANES = ["before", "text", "draft"] as const;
const COMPARED: readonly (keyof State)[] = ["file", "bytes", "urls", "crawlers", "profile", "address", "loaded", "source", "edited", "closed"];

export const compareView: ViewFactory = (app) => new CompareView(app);

class CompareView implements View {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #comparer: Comparer;
  readonly #diff: DiffView;
  readonly #draft: DraftPanel;
  readonly #grid: CellGrid;
  readonly #panes: Segments<(typeof PANES)[number]>;
  readonly #frame: PanelFrame;
  readonly #edition = h("p", { class: "panel-tools soft small", "data-result": "compare-edition" });
  readonly #lines = h("p", { class: "soft small", "data-result": "compare-lines" });
  readonly #proof = h("div", { "data-result": "compare-proof" });
  readonly #proofRequest = new LatestRequest();
  #comparison: Comparison | null = null;
  #rows: readonly number[] = [];
  #columns: readonly number[] = [];
  #limit = MAX_ROWS;
  #timer = 0;
  #run = 0;
  #stale = true;

  constructor(app: App) {
    this.#app = app;
    const { texts } = app;
    this.#comparer = new Comparer(app);
    this.#diff = new DiffView(texts);
    this.#draft = new DraftPanel(app);
    this.#grid = new CellGrid({
      label: texts.t("compare_grid"),
      corner: texts.t("list_url"),
      shape: "squares",
      onChoose: ({ row, column }) => this.#choose(this.#rows[row] ?? 0, this.#columns[column] ?? 0),
    });
    this.#panes = new Segments(texts.t("compare_files"), {
      before: { label: texts.t("compare_before"), element: beforePane(app) },
      text: { label: texts.t("compare_line_text"), element: h("div", { class: "diff-pane" }, this.#lines, this.#diff.element) },
      draft: { label: texts.t("compare_pane_draft"), element: this.#draft.element },
    });
    this.#panes.show("text");
    this.#frame = new PanelFrame(app, {
      name: "compare",
      title: texts.t("compare_title"),
      inputLabel: texts.t("compare_files"),
      input: this.#panes.element,
      tools: this.#edition,
      legend: legend([
        ["blocked", texts.t("compare_legend_blocked")],
        ["allowed", texts.t(CHANGE_TEXTS.allowed)],
        ["same", texts.t(CHANGE_TEXTS.same)],
      ]),
    });
    this.element = this.#frame.element;
    this.#frame.setBody(loadingNote(texts));
    app.on(COMPARED, () => this.#changed());
    let { source, before, encoded } = app.store.state.compare;
    app.on(["compare"], ({ compare }) => {
      if (compare.source !== source || compare.before !== before || compare.encoded !== encoded) this.#changed();
      else this.#show();
      ({ source, before, encoded } = compare);
    });
    // The crawlers' fallback tokens are known once the registry is loaded.
    app.onResults(["registry"], () => this.#changed());
  }

  show(): void {
    if (this.#stale) void this.#compare();
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#run += 1;
    this.#proofRequest.cancel();
    this.#draft.drop();
  }

  get #registry(): Registry {
    return this.#app.verdicts.results.state.registry;
  }

  #changed(): void {
    this.#stale = true;
    clearTimeout(this.#timer);
    if (this.#app.store.state.view !== "compare") return;
    this.#frame.busy = true;
    this.#timer = window.setTimeout(() => void this.#compare(), DELAY_MS);
  }

  async #compare(): Promise<void> {
    const { store, texts } = this.#app;
    const { state } = store;
    const { file, bytes, address, urls, profile } = state;
    const before = beforeOf(state);
    const crawlers = comparedCrawlers(state.crawlers, this.#registry, [before.text, file]);
    this.#edition.textContent = texts.t("compare_edition", { edition: profileName(profile, texts) });
    const run = ++this.#run;
    this.#stale = false;
    const { added, removed } = this.#diff.update(before.text, file);
    this.#lines.textContent =
      added + removed === 0 ? texts.t("compare_text_equal") : texts.t("compare_lines", { added, removed });
    const missing = noFileNote(this.#app);
    // No rule of a draft counts, so there is nothing to compare.
    if (missing && (state.closed || before.text === "")) {
      this.#comparison = null;
      this.#proofRequest.cancel();
      this.#frame.showInstead(missing);
      return;
    }
    this.#prove(before.bytes ?? before.text, bytes ?? file, crawlers);
    try {
      const comparison = await this.#comparer.compare({ before: before.bytes ?? before.text, after: bytes ?? file, address, urls, crawlers, profile });
      if (run !== this.#run || !comparison) return;
      this.#comparison = comparison;
      this.#limit = MAX_ROWS;
      this.#frame.busy = false;
      this.#show();
    } catch (error) {
      if (run === this.#run) this.#showFailure(error);
    }
  }

  #showFailure(error: unknown): void {
    const { texts, announce } = this.#app;
    console.error(error);
    this.#comparison = null;
    announce(texts.t("compare_engine_failed"), "error");
    this.#frame.showInstead(
      h(
        "div",
        { class: "note error state-note", "data-state": "failed" },
        h("p", {}, texts.t("compare_engine_failed")),
        h("button", { type: "button", class: "button", on: { click: () => void this.#compare() } }, texts.t("views_retry")),
      ),
    );
  }

  #show(): void {
    const comparison = this.#comparison;
    if (!comparison) return;
    const { changes } = comparison;
    this.#frame.setSummary(this.#summary(comparison));
    if (changes.length === 0) {
      this.#frame.setBody(noFileNote(this.#app), this.#empty(), this.#proof);
      this.#frame.setExplanation();
      this.#diff.mark(0, 0);
      return;
    }
    const chosen = this.#chosen(comparison);
    this.#updateGrid(comparison, chosen);
    this.#frame.setBody(noFileNote(this.#app), this.#grid.element, this.#more(), this.#byCrawler(comparison), this.#proof);
    this.#explain(comparison, chosen);
  }

  #summary({ changes, crawlers, compared }: Comparison): string {
    const { texts } = this.#app;
    if (changes.length === 0) return texts.t("compare_summary_none", { count: compared });
    const counts = { blocked: 0, allowed: 0, reserved: 0, permitted: 0 };
    for (const { outcome, crawler } of changes) counts[changeName(outcome, crawlers[crawler] ?? "", this.#registry)] += 1;
    const summary = texts.t("compare_summary", { ...counts, total: compared });
    return counts.reserved + counts.permitted === 0 ? summary : texts.t("compare_summary_uses", { ...counts, summary });
  }

  #updateGrid({ urls, crawlers, changes }: Comparison, chosen: Change): void {
    const { texts } = this.#app;
    const byCell = new Map(changes.map((change) => [`${change.url} ${change.crawler}`, change]));
    const rows = [...new Set(changes.map(({ url }) => url))];
    this.#rows = rows.slice(0, this.#limit);
    this.#columns = crawlers.map((_, index) => index).filter((index) => changes.some(({ crawler }) => crawler === index));
    this.#grid.update(
      this.#columns.map((index) => {
        const label = crawlers[index] ?? "";
        // A token controls a use.
        const isToken = this.#registry.isControlToken(label);
        return { label, group: isToken ? texts.t("view_usage") : crawlerGroup(this.#app, label) };
      }),
      this.#rows.map((url) => ({
        head: h("span", { class: "row-name mono" }, wrappable(urls[url] ?? "")),
        cells: this.#columns.map((index): GridCell => {
          const state = byCell.get(`${url} ${index}`)?.outcome ?? "same";
          const crawler = crawlers[index] ?? "";
          const change = texts.t(state === "same" ? "compare_same" : this.#changeKey(state, crawler));
          return { mark: state, name: texts.t("compare_cell", { crawler, path: urls[url] ?? "", change }) };
        }),
      })),
      { row: this.#rows.indexOf(chosen.url), column: this.#columns.indexOf(chosen.crawler) },
    );
    this.#hidden = rows.length - this.#rows.length;
  }

  #hidden = 0;

  #more(): Child {
    if (this.#hidden === 0) return null;
    const showAll = (): void => {
      this.#limit = Infinity;
      this.#show();
    };
    return h(
      "button",
      { type: "button", class: "button", "data-control": "compare-more", on: { click: showAll } },
      this.#app.texts.t("compare_more_rows", { count: this.#hidden }),
    );
  }

  #changeKey(outcome: Outcome, crawler: string): `compare_newly_${ReturnType<typeof changeName>}` {
    return `compare_newly_${changeName(outcome, crawler, this.#registry)}`;
  }

  #byCrawler({ crawlers, changes }: Comparison): Child {
    const { texts } = this.#app;
    const number = (index: number, outcome: Outcome): number =>
      changes.filter((change) => change.crawler === index && change.outcome === outcome).length;
    return h(
      "section",
      { class: "records" },
      h("h3", {}, texts.t("compare_by_crawler")),
      h(
        "ul",
        { class: "statements counts" },
        this.#columns.map((index) => {
          const crawler = crawlers[index] ?? "";
          return h(
            "li",
            { class: "statement" },
            h("span", { class: "row-name" }, crawler),
            OUTCOMES.map((outcome) => {
              const count = number(index, outcome);
              const text = `${texts.number(count)} × ${texts.t(this.#changeKey(outcome, crawler))}`;
              return count === 0 ? null : h("span", { class: `${outcome}-text` }, text);
            }),
          );
        }),
      ),
    );
  }

  #empty(): HTMLElement {
    const { texts, store } = this.#app;
    const { urls, crawlers, file } = store.state;
    const before = beforeOf(store.state);
    const key =
      urls.length === 0 || crawlers.length === 0
        ? "compare_nothing_listed"
        : before.text === file
          ? "compare_same_text"
          : "compare_no_change";
    return h(
      "div",
      { class: "empty-state", "data-state": "empty" },
      h("p", {}, texts.t(key)),
      key === "compare_same_text"
        ? h("button", { type: "button", class: "button", on: { click: () => this.#panes.show("before") } }, texts.t("compare_choose"))
        : null,
    );
  }

  #chosen({ urls, crawlers, changes }: Comparison): Change {
    const { url, crawler } = this.#app.store.state.compare;
    const exact = changes.find((change) => urls[change.url] === url && crawlers[change.crawler] === crawler);
    return exact ?? (changes[0] as Change);
  }

  #choose(url: number, crawler: number): void {
    const comparison = this.#comparison;
    const { store } = this.#app;
    if (!comparison?.changes.some((change) => change.url === url && change.crawler === crawler)) return;
    const patch: Partial<CompareViewState> = {
      url: comparison.urls[url] ?? null,
      crawler: comparison.crawlers[crawler] ?? null,
    };
    store.set({ compare: { ...store.state.compare, ...patch } });
    this.#frame.openExplanation();
  }

  #explain(comparison: Comparison, change: Change): void {
    const { texts, store } = this.#app;
    const lines = { old: beforeOf(store.state).text.split("\n"), updated: store.state.file.split("\n") };
    const inText = (): void => {
      this.#frame.showInput();
      this.#panes.show("text");
      this.#diff.mark(change.oldLine, change.newLine);
    };
    const goTo = {
      old: inText,
      updated: (line: number): void => {
        this.#frame.showInput();
        this.#panes.show("draft");
        this.#draft.goTo(line);
      },
    };
    this.#frame.setExplanation(explainChange(texts, this.#registry, comparison, change, lines, goTo));
    this.#diff.mark(change.oldLine, change.newLine);
    const kind = change.outcome === "blocked" ? "blocks" : "allows";
    this.#draft.mark(change.newLine === 0 ? [] : [{ line: change.newLine, kind, text: texts.t("views_decides") }]);
  }

  /** Decide for all URLs, not only the listed ones. */
  #prove(old: string | Uint8Array, updated: string | Uint8Array, crawlers: readonly string[]): void {
    const { answers, store, texts } = this.#app;
    const { profile } = store.state;
    fill(this.#proof);
    this.#proofRequest.cancel();
    if (crawlers.length === 0) return;
    if (!answers || old === updated || old.length > LARGE_DRAFT_CHARACTERS || isLargeDraft(store.state)) return;
    this.#proofRequest.schedule(
      PROOF_DELAY_MS,
      (signal) => answers.post<ServerComparison>("compare", { ...comparedContents(old, updated), profile, agents: crawlers }, signal),
      {
        done: (proved) => fill(this.#proof, proofSection(texts, this.#registry, proved, profile)),
        // The comparison of the listed URLs does not depend on it.
        failed: () => fill(this.#proof),
      },
    );
  }
}
