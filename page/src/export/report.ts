/**
 * The report: a page for readers who do not use the tester. It is shown in a dialog to be printed, and saved as one file.
 *
 * It lives in a shadow root, so that its style sheet is the same text in the page and in the file, and works under the
 * page's policy.
 */

import type { FindingObject, LintReportObject } from "../api-types.js";
import type { App } from "../app.js";
import { save } from "../clipboard.js";
import { purposeTexts, STAR } from "../crawlers.js";
import { showDialog } from "../dialog.js";
import { type Child, fill, h } from "../dom.js";
import { isCut, restText } from "../fetched-text.js";
import { codeSpans, isAboutDelivery, lintRequest, SEVERITIES, sentence } from "../notes.js";
import { profileName } from "../profiles.js";
import { type RowText, urlsText } from "../rows.js";
import { isDecidedByPolicy, missingFile } from "../state.js";
import { differsAt, legendMarks, markAt, reasonOf } from "../views/access/cell-marks.js";
import { mark } from "../views/parts/marks.js";
import { failureText } from "../views/parts/problems.js";
import { withRawBytes } from "../views/parts/raw-bytes.js";
import { fileFacts, hostName, siteHost } from "./facts.js";
import { PAGE_STYLE, REPORT_STYLE } from "./report-style.js";
import type { ShownVerdicts } from "./table.js";
import type { Texts } from "../texts.js";
import type { ExportTexts } from "./texts.js";

/** More crawlers are in another table below. */
const TABLE_COLUMNS = 24;
const MAX_ROWS = 400;
const MAX_LINES = 2000;
const MAX_BLOCKING_LINES = 40;
/** Examples for a line that blocks URLs. */
const MAX_EXAMPLES = 5;
/** More crawlers are counted instead of named. */
const MAX_NAMES = 5;
const LEGEND = ["blocked", "allowed", "none"] as const;

export function showReport(app: App, own: ExportTexts, shown: ShownVerdicts): void {
  const findings = h("div", { class: "findings" }, h("p", {}, app.texts.t("views_loading")));
  const report = reportElement(app, own, shown, findings);
  const host = h("div", { class: "report", tabindex: 0, "aria-label": own.t("report_title"), role: "group", "data-state": "pending" });
  const root = host.attachShadow({ mode: "open" });
  const style = new CSSStyleSheet();
  style.replaceSync(REPORT_STYLE);
  root.adoptedStyleSheets = [style];
  root.append(report);
  const button = (control: string, text: string, click: () => void, style = "button"): HTMLButtonElement =>
    h("button", { type: "button", class: style, disabled: true, "data-control": control, on: { click } }, text);
  const print = button("report-print", own.t("print_button"), () => window.print(), "button strong");
  const download = button("report-download", own.t("download_button"), () =>
    save(`${hostName(app)}-report.html`, standalone(report, app.texts.language)),
  );
  showDialog({ name: "report", title: own.t("report_title"), body: host, foot: [print, download] }, app.texts);
  void findingNodes(app, own).then((nodes) => {
    fill(findings, nodes);
    print.disabled = false;
    download.disabled = false;
    host.dataset["state"] = "ready";
  });
}

/** Return the report as a complete document without scripts. */
function standalone(report: HTMLElement, language: string): Blob {
  const title = report.querySelector("h1")?.textContent ?? "robots.txt";
  const file = document.implementation.createHTMLDocument(title);
  file.documentElement.lang = language;
  const [encoding, viewport] = [file.createElement("meta"), file.createElement("meta")];
  encoding.setAttribute("charset", "utf-8");
  viewport.name = "viewport";
  viewport.content = "width=device-width, initial-scale=1";
  file.head.prepend(encoding, viewport);
  const main = file.createElement("main");
  main.append(file.importNode(report, true));
  file.body.append(main);
  // A style element is written as text: the page's policy counts for elements of any document.
  const [head = "", ...rest] = file.documentElement.outerHTML.split("</head>");
  const html = `<!doctype html>\n${head}<style>${PAGE_STYLE}${REPORT_STYLE}</style></head>${rest.join("</head>")}\n`;
  return new Blob([html], { type: "text/html" });
}

function reportElement(app: App, own: ExportTexts, shown: ShownVerdicts, findings: HTMLElement): HTMLElement {
  const { texts, store } = app;
  const { data } = shown;
  const examined = [
    urlsText(texts, countedRows(shown).length, data.shown.filter((url) => data.problems[url]).length),
    texts.t("crawlers_count", { count: fetchers(app, shown).length }),
  ];
  const host = siteHost(app);
  const tokens = controlTokens(app, shown);
  const isFiltered = data.shown.length < data.rows.length;
  return h(
    "article",
    { class: "paper" },
    h("h1", {}, host === "" ? "robots.txt" : own.nodes("heading", { host })),
    h("h2", {}, own.t("examined")),
    h(
      "dl",
      { class: "facts" },
      [...fileFacts(app, own), [own.t("urls_and_crawlers"), examined.join(", ")] as const].map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, h("bdi", {}, value)))),
    ),
    isFiltered ? h("p", { "data-result": "filtered" }, own.t("filtered", { count: data.shown.length, all: data.rows.length })) : null,
    h("h2", {}, own.t("summary")),
    h("p", { class: "intro" }, own.t("intro")),
    summaryList(app, own, shown),
    blockingLines(app, own, shown),
    h("h2", {}, own.t("findings")),
    findings,
    h("h2", {}, own.t("result")),
    h(
      "ul",
      { class: "legend", "aria-hidden": "true" },
      legendMarks(LEGEND, store.state).map((name) => h("li", {}, mark(name), own.t(`key_${reasonOf(name, store.state)}`))),
      hasDifferences(shown) ? h("li", {}, h("span", { class: "differs" }), own.t("key_differs")) : null,
    ),
    tokens.length > 0 ? h("p", {}, own.t("tokens", { tokens: texts.list(tokens.map((column) => tokenOf(shown, column))) })) : null,
    h("div", { class: "answers" }, matrixTables(app, own, shown), crawlerList(app, own, shown)),
    isDecidedByPolicy(store.state) ? null : [h("h2", {}, own.t("file")), fileLines(app, own)],
    h("p", { class: "made" }, own.t("made_with")),
  );
}

/** The columns of crawlers that fetch. */
function fetchers({ verdicts }: App, { data }: ShownVerdicts): number[] {
  const { registry } = verdicts.results.state;
  return [...data.columns.keys()].filter((column) => !registry.isControlToken(data.columns[column]?.token ?? ""));
}

/** The columns of tokens that fetch nothing. */
function controlTokens(app: App, shown: ShownVerdicts): number[] {
  const own = new Set(fetchers(app, shown));
  return [...shown.data.columns.keys()].filter((column) => !own.has(column));
}

function tokenOf({ data }: ShownVerdicts, column: number): string {
  return data.columns[column]?.token ?? "";
}

/** The rows that count: those with a verdict, without robots.txt itself, which is not a page of the site. */
function countedRows({ data }: ShownVerdicts): number[] {
  return data.shown.filter((url) => !data.problems[url] && !isRobotsTxt(data.rows[url]));
}

function isRobotsTxt(row: RowText | undefined): boolean {
  return row?.path === "/robots.txt" && row.query === "";
}

/** Return in words who may fetch every URL, some URLs and no URL, and what tokens do not permit. */
function summaryList(app: App, own: ExportTexts, shown: ShownVerdicts): HTMLElement {
  const { texts, verdicts } = app;
  const { registry } = verdicts.results.state;
  const total = countedRows(shown).length;
  const of = (column: number): number => total - blockedRows(shown, column);
  const columns = fetchers(app, shown);
  const some = columns.filter((column) => of(column) > 0 && of(column) < total);
  const name = (column: number): string => {
    const token = tokenOf(shown, column);
    return registry.isListed(token) ? token : `${token} (${own.t("unknown_crawler")})`;
  };
  const names = (found: readonly number[]): string => texts.list(found.map(name));
  const partly = texts.list(some.map((column) => `${name(column)} (${own.t("blocked_of", { blocked: of(column), total })})`));
  const item = (key: "may_all" | "may_some" | "may_none", found: readonly number[], crawlers: string): Child =>
    found.length > 0 && total > 0 ? h("li", {}, own.nodes(key, { crawlers, total })) : null;
  const [all, none] = [columns.filter((column) => of(column) === total), columns.filter((column) => of(column) === 0)];
  return h(
    "ul",
    { class: "summary" },
    item("may_all", all, names(all)),
    item("may_some", some, partly),
    item("may_none", none, names(none)),
    controlTokens(app, shown)
      .filter((column) => of(column) < total)
      .map((column) => {
        const crawler = registry.find(tokenOf(shown, column));
        const uses = crawler ? purposeTexts(crawler, texts) : "";
        return h("li", {}, own.nodes("not_for", { token: tokenOf(shown, column), uses, blocked: blockedRows(shown, column), total }));
      }),
    shown.data.shown.some((url) => isRobotsTxt(shown.data.rows[url])) ? h("li", {}, own.t("robots_txt_itself")) : null,
  );
}

/** Return each line that blocks URLs for crawlers, the most effective first, with examples. */
function blockingLines(app: App, own: ExportTexts, shown: ShownVerdicts): Child {
  const { store, texts, verdicts } = app;
  const { data } = shown;
  const lines = verdicts.results.state.matrix?.lines;
  // While a site is closed, no line decides.
  if (!lines || store.state.closed) return null;
  const rows = countedRows(shown);
  const columns = fetchers(app, shown);
  const effects = new Map<number, { readonly urls: Set<number>; readonly crawlers: Set<number> }>();
  for (const url of rows) {
    for (const column of columns) {
      if (markAt(data, url, column) !== "blocked") continue;
      const line = lines[url * data.columns.length + column] ?? 0;
      const effect = effects.get(line) ?? { urls: new Set(), crawlers: new Set() };
      effect.urls.add(url);
      effect.crawlers.add(column);
      effects.set(line, effect);
    }
  }
  if (effects.size === 0) return null;
  const ordered = [...effects].sort(([line, { urls }], [other, { urls: others }]) => others.size - urls.size || line - other);
  const written = store.state.file.split("\n");
  const more = ordered.length - MAX_BLOCKING_LINES;
  return [
    h("h3", {}, own.t("blocked_urls")),
    h(
      "ul",
      { class: "blocking" },
      ordered.slice(0, MAX_BLOCKING_LINES).map(([line, { urls, crawlers }]) => {
        const names = [...crawlers].sort((a, b) => a - b).map((column) => tokenOf(shown, column));
        const few = names.length > MAX_NAMES ? texts.t("crawlers_count", { count: names.length }) : names.join(", ");
        const examples = spread([...urls]).map((url) => h("code", { translate: "no" }, shownUrl(data.rows[url])));
        const values = {
          line,
          rule: h("code", { translate: "no" }, withRawBytes((written[line - 1] ?? "").split("#")[0]?.trim() ?? "")),
          blocked: urls.size,
          total: rows.length,
          crawlers: few,
          urls: h("span", {}, examples.flatMap((example, at) => (at === 0 ? [example] : [", ", example]))),
        };
        return h("li", { "data-line": line }, own.nodes(urls.size > MAX_EXAMPLES ? "line_blocks_such_as" : "line_blocks", values));
      }),
    ),
    more > 0 ? h("p", {}, own.t("more_blocking_lines", { count: more })) : null,
  ];
}

function shownUrl(row: RowText | undefined): string {
  return row ? row.path + row.query : "";
}

/** Return a few items from all parts of a list. */
function spread(items: readonly number[]): number[] {
  if (items.length <= MAX_EXAMPLES) return [...items];
  const step = (items.length - 1) / (MAX_EXAMPLES - 1);
  return Array.from({ length: MAX_EXAMPLES }, (_, at) => items[Math.round(at * step)] ?? 0);
}

function blockedRows(shown: ShownVerdicts, crawler: number): number {
  return countedRows(shown).filter((url) => markAt(shown.data, url, crawler) === "blocked").length;
}

function hasDifferences({ data }: ShownVerdicts): boolean {
  return data.shown.some((url) => data.columns.some((_, crawler) => differsAt(data, url, crawler)));
}

function matrixTables(app: App, own: ExportTexts, shown: ShownVerdicts): Child {
  const { data } = shown;
  const { texts } = app;
  const rows = data.shown.slice(0, MAX_ROWS);
  const starts = data.columns.map((_, column) => column).filter((column) => column % TABLE_COLUMNS === 0);
  const missing = data.shown.length - rows.length;
  return [
    starts.map((start) => {
      const columns = data.columns.slice(start, start + TABLE_COLUMNS);
      return h(
        "div",
        { class: "scroll", tabindex: 0, role: "group", "aria-label": own.t("result") },
        h(
          "table",
          { class: "matrix" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, texts.t("list_url")),
              columns.map(({ token }) => h("th", { scope: "col", class: "name", translate: "no" }, h("span", {}, token))),
            ),
          ),
          h("tbody", {}, rows.map((url) => matrixRow(app, own, shown, url, start, columns.length))),
        ),
      );
    }),
    missing > 0 ? h("p", {}, own.t("more_rows", { count: missing })) : null,
  ];
}

function matrixRow({ store, texts, verdicts }: App, own: ExportTexts, { data, problem }: ShownVerdicts, url: number, start: number, count: number): HTMLElement {
  const { registry } = verdicts.results.state;
  const row = data.rows[url];
  const found = data.problems[url];
  const head = h("th", { scope: "row", translate: "no" }, row?.text);
  if (row && found) return h("tr", {}, head, h("td", { colspan: count, class: "problem" }, problem(found, row)));
  const cells = Array.from({ length: count }, (_, column) => {
    const name = markAt(data, url, start + column);
    const differs = differsAt(data, url, start + column);
    const isDenied = name === "blocked" && registry.isControlToken(data.columns[start + column]?.token ?? "");
    const words = h("span", { class: "words" }, isDenied ? texts.t("legend_denied") : own.t(`key_${name === "invalid" ? name : reasonOf(name, store.state)}`), differs ? `; ${own.t("key_differs")}` : null);
    return h("td", { class: differs ? `${name} differs` : name }, name === "invalid" ? null : mark(name), words);
  });
  return h("tr", {}, head, cells);
}

function crawlerList({ texts, verdicts }: App, own: ExportTexts, shown: ShownVerdicts): HTMLElement {
  const { registry } = verdicts.results.state;
  const { columns } = shown.data;
  const total = countedRows(shown).length;
  return h(
    "table",
    { class: "crawlers" },
    h("thead", {}, h("tr", {}, [texts.t("list_crawler"), own.t("purpose"), own.t("blocked_for_it")].map((text) => h("th", { scope: "col" }, text)))),
    h(
      "tbody",
      {},
      columns.map(({ token }, column) => {
        const crawler = registry.find(token);
        const unknown = token === STAR ? "any_crawler" : "unknown_crawler";
        const purpose = crawler ? `${crawler.operator}, ${purposeTexts(crawler, texts)}` : own.t(unknown);
        const counts = { blocked: blockedRows(shown, column), total };
        const blocked = registry.isControlToken(token) ? own.t("denied_of", counts) : own.t("blocked_of", counts);
        return h("tr", {}, h("th", { scope: "row", translate: "no" }, token), h("td", {}, purpose), h("td", {}, blocked));
      }),
    ),
  );
}

async function findingNodes(app: App, own: ExportTexts): Promise<Child> {
  const { answers, store, texts } = app;
  if (!answers) return h("p", {}, own.t("findings_off"));
  try {
    const { findings } = await answers.post<LintReportObject>("lint", lintRequest(store.state, texts.language));
    if (findings.length === 0) return h("p", {}, own.t("findings_none"));
    const readings = new Map<FindingObject, readonly string[]>();
    for (const finding of findings) readings.set(finding, await otherReadings(app, own, finding));
    const bySeverity = SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
    const byCheck = Map.groupBy(bySeverity, ({ severity, code, how_to_fix: fix }) => `${severity} ${code} ${fix}`);
    const hasLines = missingFile(store.state) === null;
    const edition = profileName(store.state.profile, texts);
    return h(
      "ul",
      {},
      [...byCheck.values()].map((same) => {
        const others = [...new Set(same.flatMap((finding) => readings.get(finding) ?? []))];
        return checkItem(same, others.length > 0 ? [...others, own.t("report_follows", { edition })] : [], hasLines, own, texts);
      }),
    );
  } catch (error) {
    return h("p", {}, own.t("findings_failed", { reason: failureText(texts, error) }));
  }
}

/** The linter lets each crawler read the file as its operator does. Return where that differs from the verdicts of the report. */
async function otherReadings(
  { store, texts, verdicts }: App,
  own: ExportTexts,
  { effect, verdicts: stated }: FindingObject,
): Promise<readonly string[]> {
  const { profile } = store.state;
  const crawlers = new Map<string, string[]>();
  for (const { crawler, profile: reading, url, allowed } of effect === null ? [] : stated) {
    const shown = reading === profile ? allowed : await verdicts.allows(url, crawler, profile);
    if (shown !== null && shown !== allowed) crawlers.set(reading, [...(crawlers.get(reading) ?? []), crawler]);
  }
  return [...crawlers].map(([reading, names]) => {
    const shown = texts.list([...new Set(names)].map((name) => (name === STAR ? own.t("any_crawler") : name)));
    return own.t("other_reading", { crawlers: shown, reading: profileName(reading, texts) });
  });
}

/** The findings of one check, with what to do about them. Those about the response have no line. */
function checkItem(
  findings: readonly FindingObject[],
  readings: readonly string[],
  hasLines: boolean,
  own: ExportTexts,
  texts: Texts,
): Child {
  const [first] = findings;
  if (!first) return null;
  return h(
    "li",
    { class: first.severity },
    h("strong", {}, texts.t(`note_${first.severity}`)),
    findings.map((finding) =>
      h(
        "p",
        { "data-line": finding.start.line },
        hasLines && !isAboutDelivery(finding.code) ? [texts.t("line_number", { line: finding.start.line }), ": "] : null,
        codeSpans(sentence(finding.message, texts.language)),
        finding.effect ? [" ", h("span", { class: "effect" }, codeSpans(sentence(finding.effect, texts.language)))] : null,
      ),
    ),
    readings.length > 0 ? h("p", { class: "effect" }, readings.join(" ")) : null,
    h("p", {}, own.t("what_to_do"), " ", codeSpans(first.how_to_fix)),
  );
}

function fileLines({ store, texts }: App, own: ExportTexts): Child {
  const { file } = store.state;
  if (file.trim() === "") return h("p", {}, own.t("file_empty"));
  const lines = file.replace(/\n$/, "").split("\n");
  const missing = lines.length - MAX_LINES;
  const rest = restText(texts, isCut(store.state));
  return [
    h("ol", { class: "file", translate: "no" }, lines.slice(0, MAX_LINES).map((line) => h("li", {}, h("code", {}, withRawBytes(line))))),
    missing > 0 ? h("p", {}, own.t("more_lines", { count: missing })) : null,
    rest === null ? null : h("p", { "data-result": "rest" }, rest),
  ];
}
