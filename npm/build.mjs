/** Builds the npm package into the folder build/npm, from the engine of the tester page. `make npm` packs it. */

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { constants, deflateRawSync } from "node:zlib";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "..");
const OUTPUT = path.resolve(process.argv[2] ?? path.join(ROOT, "build/npm"));
/** Built by tools/build_engine_module.sh. */
const ENGINE_MODULE = path.join(ROOT, "build/engine.wasm");
/** The crates in that module and their licenses, as `tools/bundled_parts.py` writes them. */
const ENGINE_PARTS = path.join(ROOT, "build/engine-parts.json");

const APACHE = /^ *Apache License\s+Version 2\.0, January 2004$.*?END OF TERMS AND CONDITIONS$/gms;
const words = (text) => text.trim().split(/\s+/).join(" ");

const { build } = createRequire(path.join(ROOT, "page/package.json"))("esbuild");
const { version } = JSON.parse(await readFile(path.join(HERE, "package.json"), "utf8"));

for (const file of [ENGINE_MODULE, ENGINE_PARTS]) {
  if (!existsSync(file)) throw new Error(`${file} does not exist: run 'make npm'`);
}
await rm(OUTPUT, { recursive: true, force: true });
await mkdir(OUTPUT, { recursive: true });
await writeScript();
await writeModules();
await writeTypes();
for (const file of ["package.json", "README.md"]) await copyFile(path.join(HERE, file), path.join(OUTPUT, file));
await copyFile(path.join(ROOT, "LICENSE"), path.join(OUTPUT, "LICENSE"));
await writeLicences();

/** A classic script, which `import` and `require` both load, so that the package contains the engine once. */
async function writeScript() {
  const module = await readFile(ENGINE_MODULE);
  // Only blocks that src/inflate.ts reads, as a test checks. Base64 of compressed data is hardly larger in the compressed package than the module itself.
  const data = deflateRawSync(module, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 }).toString("base64");
  await build({
    absWorkingDir: HERE,
    entryPoints: ["src/index.ts"],
    outfile: path.join(OUTPUT, "canfetch.js"),
    bundle: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    minify: true,
    // With an error, Node.js prints the line of the script that threw it.
    lineLimit: 2000,
    define: { VERSION: JSON.stringify(version), ENGINE: JSON.stringify(data), ENGINE_SIZE: String(module.length) },
  });
}

/** The entry points: an ES module and a CommonJS module for each. */
async function writeModules() {
  const shared = `globalThis[Symbol.for(${JSON.stringify(`canfetch ${version}`)})]`;
  const names = "allows, engineBytes, load, parse, productToken, version";
  const files = {
    "index.mjs": `import "./canfetch.js";\n\nexport const { ${names} } = ${shared}.index;\n`,
    // Node.js finds the names for `import` in this form.
    "index.js": `"use strict";\nrequire("./canfetch.js");\n\nconst { ${names} } = ${shared}.index;\nmodule.exports = { ${names} };\n`,
    "robots-parser.mjs": `import "./canfetch.js";\n\nexport default ${shared}.robotsParser;\n`,
    "robots-parser.js":
      `"use strict";\nrequire("./canfetch.js");\n\nconst { robotsParser } = ${shared};\n` +
      "module.exports = Object.assign(robotsParser, { default: robotsParser });\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(OUTPUT, name), text);
}

/** The types of ES modules and of CommonJS modules, from one source. */
async function writeTypes() {
  const index = await readFile(path.join(HERE, "types/index.d.ts"), "utf8");
  const parser = await readFile(path.join(HERE, "types/robots-parser.d.ts"), "utf8");
  const [robots, declaration] = parser.trimEnd().split("export default ");
  const files = {
    "index.d.mts": 'export * from "./index.js";\n',
    "index.d.ts": index,
    "robots-parser.d.mts": parser,
    "robots-parser.d.ts":
      `declare ${declaration.replace(/\b(?=Robots\b|Content\b)/g, "robotsParser.")}\n\ndeclare namespace robotsParser {\n` +
      `${robots.trimEnd().replace(/^(?=.)/gm, "  ")}\n  export { robotsParser as default };\n}\n\nexport = robotsParser;\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(OUTPUT, name), text);
}

async function writeLicences() {
  const parts = JSON.parse(await readFile(ENGINE_PARTS, "utf8"));
  const contents = parts.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`).join("\n");
  const sections = parts.map(({ name, version, notices }) =>
    [`${name} ${version}`, ...chosen(notices).map((text) => text.trim())].join("\n\n"),
  );
  const separator = `\n\n${"=".repeat(80)}\n\n`;
  // A choice of licenses needs one of the texts.
  function chosen({ UNLICENSE: _other, ...notices }) {
    return Object.values(notices);
  }
  const own = await readFile(path.join(ROOT, "LICENSE"), "utf8");
  // The same license, which several parts have, is in the package once.
  const inLicence = (text) => (words(own).includes(words(text)) ? "  The Apache License 2.0, as in the file LICENSE." : text);
  const text = [`The WebAssembly module contains:\n\n${contents}`, ...sections].join(separator);
  await writeFile(path.join(OUTPUT, "LICENSES-OF-PARTS"), `${text.replace(APACHE, inLicence)}\n`);
}
