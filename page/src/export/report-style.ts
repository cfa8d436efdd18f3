/** The styles of the report: dark on white, because it is printed. */

/** Styles of the file that only holds the report. The page has its own for printing. */
export const PAGE_STYLE = `
@page { size: A4; margin: 10mm; }
body { margin: 0; background: #fff; }
main { max-width: 60rem; margin: 0 auto; }
@media print { main { max-width: none; } }
`;

export const REPORT_STYLE = `
.paper, .paper * { box-sizing: border-box; }
.paper {
  padding: 1.5rem;
  background: #fff;
  color: #16191d;
  color-scheme: light;
  font: 0.8125rem/1.4 var(--font, system-ui, sans-serif);
}
.paper h1 { margin: 0 0 0.5em; font-size: 1.6em; line-height: 1.2; overflow-wrap: anywhere; }
.paper h2 { margin: 1.1em 0 0.3em; font-size: 1.1em; line-height: 1.2; break-after: avoid; }
.paper p, .paper ul, .paper ol, .paper dl { margin: 0 0 0.4em; padding: 0; }
.paper ul, .paper ol { list-style: none; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20em, 100%), 1fr)); gap: 0.15em 1.5em; }
.facts div { display: flex; gap: 0.5em; }
.facts dt { flex: none; color: #545b66; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.paper h3 { margin: 0.6em 0 0.2em; font-size: 1em; line-height: 1.2; break-after: avoid; }
.blocking li { padding-inline-start: 1em; text-indent: -1em; break-inside: avoid; overflow-wrap: anywhere; }
.blocking code { font-family: var(--mono, ui-monospace, monospace); font-size: 0.92em; }
.intro { padding-top: 0.4em; border-top: 1px solid #c9c9c2; color: #3d434c; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2em 1.25em; }
.legend li { display: flex; align-items: center; gap: 0.4em; }
.answers { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 1em 2em; margin-top: 0.6em; }
.scroll { flex: 1 1 auto; max-width: 100%; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; text-align: start; }
th { font-weight: 500; text-align: start; }
thead th { padding: 0 0.4em 0.2em; color: #545b66; vertical-align: bottom; }
.matrix .name { width: 2.4em; padding: 0; }
.matrix .name span { writing-mode: vertical-rl; transform: rotate(180deg); color: #16191d; line-height: 1.7; }
.matrix tbody th, .matrix td { border: 1px solid #fff; }
.matrix tbody th { border-block-end-color: #e2e2dc; }
.matrix tbody th { padding: 0 0.6em 0 0; font-family: var(--mono, ui-monospace, monospace); font-size: 0.92em; overflow-wrap: anywhere; min-width: 13em; }
.matrix td { width: 2.4em; min-width: 1.7em; height: 1.5em; padding: 0; text-align: center; position: relative; }
.matrix td.problem { text-align: start; color: #545b66; }
.words { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
tr { break-inside: avoid; }
.state { display: inline-grid; place-items: center; width: 1.5em; height: 1.25em; border-radius: 2px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.state svg { width: 1em; height: 1em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.state.blocked { background: #c2470f; color: #fff; }
.state.allowed { background: #d6e8f9; color: #0c4a94; }
.state.none { background: #f1f5fb; color: #56789f; }
.matrix td.differs::after, .legend .differs::after { content: ""; border: 0.3em solid transparent; border-block-start-color: #16191d; border-inline-end-color: #16191d; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.matrix td.differs::after { position: absolute; inset: 0 0 auto auto; }
.legend .differs { display: inline-grid; }
.matrix .state { display: grid; width: 100%; height: 1.35em; }
.crawlers { flex: 1 1 24em; }
.crawlers th, .crawlers td { padding: 0.05em 1em 0.05em 0; vertical-align: top; }
.crawlers thead th { padding: 0 1em 0.2em 0; }
.crawlers td:last-child { white-space: nowrap; }
.crawlers tbody tr { border-top: 1px solid #e2e2dc; }
.findings li { padding-inline-start: 0.6em; border-inline-start: 3px solid #8a8f98; margin-bottom: 0.2em; overflow-wrap: anywhere; break-inside: avoid; }
.findings .error { border-color: #c2470f; }
.findings .warning { border-color: #b98700; }
.findings p { margin: 0 0 0.1em; }
.findings code { font-family: var(--mono, ui-monospace, monospace); font-size: 0.92em; }
.effect { color: #545b66; }
.file { columns: 22em auto; column-gap: 1.5em; counter-reset: line; font-size: 0.88em; }
.file li { display: flex; counter-increment: line; break-inside: avoid; }
.file li::before { content: counter(line); flex: 0 0 2.6em; padding-inline-end: 0.8em; color: #545b66; text-align: end; }
.file code { min-width: 0; font-family: var(--mono, ui-monospace, monospace); white-space: pre-wrap; overflow-wrap: anywhere; }
.raw-byte { border: 1px solid #c9c9c2; border-radius: 2px; }
.made { margin-top: 0.8em; color: #545b66; }
@media print {
  .paper { padding: 0; font-size: 7.2pt; line-height: 1.3; }
  .paper h2 { margin-top: 0.7em; }
  .scroll { overflow: visible; }
  .findings ul, .blocking { columns: 2; column-gap: 1.5em; }
  .findings li { margin-bottom: 0.1em; line-height: 1.2; }
  .file { columns: 3; font-size: 0.8em; line-height: 1.2; }
  .crawlers { font-size: 0.92em; line-height: 1.15; }
}
@media (forced-colors: active) { .state { forced-color-adjust: none; } }
`;
