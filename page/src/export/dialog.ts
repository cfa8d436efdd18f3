/** The export of the verdicts to a file, and the way to the report. */

import type { App } from "../app.js";
import { save } from "../clipboard.js";
import { showDialog } from "../dialog.js";
import { fill, h } from "../dom.js";
import { csvBlob } from "./csv.js";
import { fileFacts, hostName } from "./facts.js";
import { markdownBlob } from "./markdown.js";
import { showReport } from "./report.js";
import { lineTable, type ShownVerdicts, type TableShape, verdictTable } from "./table.js";
import { type ExportTexts, loadExportTexts } from "./texts.js";

const FORMATS = ["csv", "xlsx", "md"] as const;
type Format = (typeof FORMATS)[number];
const FORMAT_NAMES = { csv: "CSV", xlsx: "Excel", md: "Markdown" } as const;
const SHAPES = ["matrix", "list"] as const;

/** `shown` returns what the page shows at the moment. */
export async function showExport(app: App, shown: () => ShownVerdicts): Promise<void> {
  const own = await loadExportTexts(app.texts.language);
  let shape: TableShape = app.store.state.asList ? "list" : "matrix";
  const status = h("p", { class: "soft small", role: "status", "data-result": "export" });
  const showRows = (): void => {
    status.textContent = own.t("rows", { count: verdictTable(app, shown(), shape).rowCount });
  };
  const shapes = SHAPES.map((name) => {
    const radio = h("input", {
      type: "radio",
      name: "export-shape",
      checked: name === shape,
      "data-control": `export-${name}`,
      on: {
        change: () => {
          shape = name;
          showRows();
        },
      },
    });
    return h("label", { class: "check" }, radio, own.t(`shape_${name}`));
  });
  const formats = FORMATS.map((format) =>
    h(
      "button",
      {
        type: "button",
        class: "button",
        "data-control": `export-${format}`,
        on: { click: () => void write(format) },
      },
      FORMAT_NAMES[format],
    ),
  );
  const report = h(
    "button",
    {
      type: "button",
      class: "button",
      "data-control": "export-report",
      on: {
        click: () => {
          dialog.close();
          showReport(app, own, shown());
        },
      },
    },
    own.t("report_button"),
  );

  async function write(format: Format): Promise<void> {
    status.textContent = own.t("saving");
    try {
      const content = await exported(app, own, shown(), shape, format);
      if (content === null) {
        fill(status, h("span", { class: "bad" }, own.t("too_many")));
        return;
      }
      const name = `${hostName(app)}-${shape}.${format}`;
      save(name, content);
      status.textContent = own.t("saved", { name });
    } catch (error) {
      fill(status, h("span", { class: "bad" }, own.t("failed", { reason: String(error) })));
    }
  }

  const dialog = showDialog(
    {
      name: "export",
      title: app.texts.t("export_button"),
      body: [
        h("fieldset", { class: "export-shapes" }, h("legend", {}, app.texts.t("verdicts_title")), shapes),
        h("div", { class: "export-formats" }, formats),
        status,
        h("h3", {}, own.t("report_title")),
        h("p", { class: "soft" }, own.t("report_help")),
        report,
      ],
    },
    app.texts,
  );
  showRows();
}

/** Return the content of a file, or null if the table is too large for its format. */
async function exported(
  app: App,
  own: ExportTexts,
  shown: ShownVerdicts,
  shape: TableShape,
  format: Format,
): Promise<Blob | null> {
  const table = verdictTable(app, shown, shape);
  const { shown: rows, rows: all } = shown.data;
  const filter = [app.texts.t("filter_button"), app.texts.t("filter_shown", { count: rows.length, total: all.length })] as const;
  const facts = [...fileFacts(app, own), ...(rows.length < all.length ? [filter] : [])];
  if (format === "csv") return csvBlob(table);
  if (format === "md") return markdownBlob(table, facts.map(([label, value]) => `${label}: ${value}`).join("; "));
  const { MAX_CELLS, xlsxBlob } = await import("./xlsx.js");
  const sheets = [
    { name: app.texts.t("verdicts_title"), table },
    // The list names the lines itself.
    ...(shape === "matrix" ? [{ name: own.t("line_sheet"), table: lineTable(app, shown) }] : []),
  ];
  if (sheets.length * table.rowCount * table.headings.length > MAX_CELLS) return null;
  return xlsxBlob({ sheets, facts, factsName: own.t("about") });
}
