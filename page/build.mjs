/** Builds the tester page into src/canfetch/web/assets/. `--watch` rebuilds after each change. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

import * as esbuild from "esbuild";
import { minify } from "terser";

import { SMALL_FONTS } from "./fonts.mjs";
import { bundledPackages, licenceText } from "./parts.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const OUTPUT = path.resolve(HERE, "../src/canfetch/web/assets");
/** Built by tools/build_engine_module.sh, if the machine has a toolchain for it. */
const ENGINE_MODULE = path.resolve(HERE, "../build/engine.wasm");
/** The crates in that module and their licenses, as `tools/bundled_parts.py` writes them. */
const ENGINE_PARTS = path.resolve(HERE, "../build/engine-parts.json");
/** The registry, as `canfetch agents list --format json` writes it. */
const CRAWLERS = path.resolve(HERE, "../build/crawlers.json");
const STATIC = path.join(OUTPUT, "static");

const SHARED = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome123", "firefox121", "safari17.5"],
  charset: "utf8",
  legalComments: "none",
  loader: { ".txt": "text" },
  metafile: true,
  outdir: STATIC,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
};

/** write-excel-file compresses without workers, as src/export/zip.ts explains. */
const SYNCHRONOUS_ZIP = {
  name: "synchronous-zip",
  setup({ onResolve }) {
    onResolve({ filter: /^fflate$/ }, () => ({ path: path.join(HERE, "src/export/zip.ts") }));
  },
};

async function build() {
  const engine = existsSync(ENGINE_MODULE);
  const missing = [CRAWLERS, ...(engine ? [ENGINE_PARTS] : [])].filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`missing ${missing.join(", ")}: run 'make page', which builds it`);
  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(STATIC, { recursive: true });
  const styles = await bundle({ entryPoints: ["src/styles/page.css"], plugins: [SMALL_FONTS] });
  const script = await bundle({ entryPoints: ["src/main.ts"], splitting: true, plugins: [SYNCHRONOUS_ZIP] });
  const worker = engine ? await bundle({ entryPoints: ["src/engine/worker.ts"], format: "iife" }) : null;
  const linter = await bundle({ entryPoints: [{ in: "src/offline/worker.ts", out: "linter-worker" }] });
  await shrinkScripts();
  const parts = await bundledPackages(HERE, [styles, script, linter, ...(worker ? [worker] : [])]);
  if (engine) parts.push(...JSON.parse(await readFile(ENGINE_PARTS, "utf8")));
  const licences = licenceText(await readFile(path.resolve(HERE, "../LICENSE"), "utf8"), parts);
  const fonts = Object.keys(styles.outputs).filter((file) => file.endsWith(".woff2"));
  const access = entryPoint(script, "src/views/access/index.ts");
  await writeHtml({
    styles: entryPoint(styles, "src/styles/page.css"),
    script: entryPoint(script, "src/main.ts"),
    fonts: fonts.map((file) => `static/${path.basename(file)}`),
    modules: [...importsOf(script, entryPoint(script, "src/main.ts")), access, ...importsOf(script, access)],
    icon: await hashed("src/icon.svg"),
    engine: engine ? await hashed(ENGINE_MODULE) : "",
    crawlers: await writeHashed("crawlers.json", await crawlersOfPage()),
    linterWorker: entryPoint(linter, "src/offline/worker.ts"),
    worker: worker ? entryPoint(worker, "src/engine/worker.ts") : "",
    licences: await writeHashed("licenses.txt", licences),
  });
  await writeFile(path.join(OUTPUT, "parts.json"), `${JSON.stringify(parts, null, 2)}\n`);
  await writeManifest();
}

async function bundle(options) {
  return (await esbuild.build({ ...SHARED, ...options })).metafile;
}

/** Make the scripts another 2 % smaller. Their names keep the hashes of what esbuild wrote. */
async function shrinkScripts() {
  for (const name of await readdir(STATIC)) {
    if (!name.endsWith(".js")) continue;
    const file = path.join(STATIC, name);
    const options = { compress: { passes: 3 }, ecma: 2022, format: { comments: false }, module: true };
    const { code } = await minify(await readFile(file, "utf8"), options);
    await writeFile(file, code);
  }
}

function entryPoint(metafile, source) {
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === source) return `static/${path.basename(file)}`;
  }
  throw new Error(`esbuild built no file from ${source}`);
}

/** The modules that a module imports when it is loaded, and those that they import. */
function importsOf(metafile, address) {
  const found = new Set();
  const visit = (file) => {
    for (const { path: imported, kind } of metafile.outputs[file].imports) {
      if (kind !== "import-statement" || found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(Object.keys(metafile.outputs).find((file) => path.basename(file) === path.basename(address)));
  return [...found].map((file) => `static/${path.basename(file)}`);
}

/** The registry without what the page does not use, such as the headers that crawlers send: they are more than half of it. */
async function crawlersOfPage() {
  const crawlers = JSON.parse(await readFile(CRAWLERS, "utf8"));
  return JSON.stringify(
    crawlers.map(({ schema, headers, product_names, app_names, honours, checked, verification, ...crawler }) => ({
      ...crawler,
      address_list: verification.address_lists[0],
    })),
  );
}

/** Copy a file under a name with its hash, and return its address. */
async function hashed(source) {
  return writeHashed(path.basename(source), await readFile(path.resolve(HERE, source)));
}

/** Write content under a name with its hash, and return its address. */
async function writeHashed(file, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const { name, ext } = path.parse(file);
  await writeFile(path.join(STATIC, `${name}-${hash}${ext}`), content);
  return `static/${name}-${hash}${ext}`;
}

/** index.html is for the server, static.html for a site without one: the policy is then part of the page. */
async function writeHtml({ styles, script, fonts, modules, icon, engine, crawlers, worker, linterWorker, licences }) {
  const template = await readFile(path.join(HERE, "src/index.html"), "utf8");
  // What the first view needs is requested at once, and not when the module that needs it runs.
  const preloads = [
    ...[...new Set(modules)].map((module) => `<link rel="modulepreload" href="${module}" />`),
    ...[crawlers, engine].filter(Boolean).map((file) => `<link rel="preload" href="${file}" as="fetch" crossorigin />`),
    ...fonts.map((font) => `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin />`),
  ];
  const html = template
    .replace("%STYLES%", styles)
    .replace("%SCRIPT%", script)
    .replace("%ICON%", icon)
    .replace("%ENGINE%", engine)
    .replace("%WORKER%", worker)
    .replace("%LINTER_WORKER%", linterWorker)
    .replace("%CRAWLERS%", crawlers)
    .replace("%LICENCES%", licences)
    .replace("%PRELOADS%", preloads.join("\n    "));
  // A meta element cannot hold the directive frame-ancestors.
  const policy = (await readFile(path.join(HERE, "src/policy.txt"), "utf8")).trim().split("\n");
  const directives = policy.filter((directive) => !directive.startsWith("frame-ancestors"));
  const meta = `<meta http-equiv="Content-Security-Policy" content="${directives.join("; ")}" />`;
  await writeFile(path.join(OUTPUT, "index.html"), html.replace("%API%", "v1/").replace("    %POLICY%\n", ""));
  await writeFile(path.join(OUTPUT, "static.html"), html.replace("%API%", "").replace("%POLICY%", meta));
}

/** List all files with their sizes, also compressed as a server in front may do. */
async function writeManifest() {
  const files = {};
  for (const name of (await readdir(STATIC)).sort()) {
    const file = `static/${name}`;
    const content = await readFile(path.join(OUTPUT, file));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    const compressed = brotliCompressSync(content, quality);
    files[file] = { bytes: content.length, brotli: compressed.length };
  }
  await writeFile(path.join(OUTPUT, "manifest.json"), `${JSON.stringify({ files }, null, 2)}\n`);
  for (const [file, { bytes, brotli }] of Object.entries(files)) {
    console.log(`${file.padEnd(44)} ${String(bytes).padStart(8)} ${String(brotli).padStart(8)}`);
  }
}

await build();
if (process.argv.includes("--watch")) {
  const { watch } = await import("node:fs");
  let timer;
  watch(path.join(HERE, "src"), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => build().catch((error) => console.error(error.message)), 100);
  });
}
