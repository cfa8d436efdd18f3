/**
 * Measures the engine of the tester page in Node.js.
 *
 *     make engine-module page && node benchmarks/engine_module.mjs [MODULE]
 *
 * A row of the table is one change of a file: the file is opened, parsed, and all its cells are decided.
 */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const { build } = createRequire(path.join(ROOT, "page/package.json"))("esbuild");
const MODULE = process.argv[2] ?? path.join(ROOT, "build/engine.wasm");
const ROUNDS = 60;
const WARM_UP = 15;

async function load() {
  const { outputFiles } = await build({
    entryPoints: [path.join(ROOT, "page/src/engine/engine-module.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  const { EngineModule } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
  return EngineModule.instantiate(await WebAssembly.compile(await readFile(MODULE)));
}

/** Numbers that are the same in each run. */
function dice(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const WORDS = ["shop", "cart", "blog", "item", "search", "user", "news", "tag", "page", "image", "api", "static"];

function rule(below, isWildcard) {
  const word = () => WORDS[below(WORDS.length)] + (below(3) === 0 ? below(1000) : "");
  const parts = Array.from({ length: 1 + below(4) }, word);
  const path = isWildcard ? `/*${parts.join("*/")}` : `/${parts.join("/")}`;
  return `${below(4) === 0 ? "Allow" : "Disallow"}: ${path}${below(10) === 0 ? "*" : ""}`;
}

function file(bytes, { groups, isWildcard = false }) {
  const below = dice(bytes + groups);
  const lines = [];
  const bytesOfGroup = bytes / groups;
  for (let group = 0, length = 0; group < groups; group++) {
    lines.push(group === 0 ? "User-agent: *" : `User-agent: Bot${group}`);
    for (length += lines.at(-1).length + 1; length < bytesOfGroup * (group + 1); length += lines.at(-1).length + 1) {
      lines.push(rule(below, isWildcard || below(10) === 0));
    }
  }
  return new TextEncoder().encode(lines.join("\n").slice(0, bytes));
}

function targets(count) {
  const below = dice(count);
  const word = () => WORDS[below(WORDS.length)] + (below(3) === 0 ? below(1000) : "");
  return Array.from({ length: count }, () => `https://www.example.com/${word()}/${word()}/${word()}?q=${below(99)}`);
}

const agents = (count) =>
  Array.from({ length: count }, (_, index) => ({ tokens: [`Bot${index}`], starApplies: true }));

/** Return the median and the 95th percentile in milliseconds. */
function time(work) {
  const times = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const start = performance.now();
    work();
    if (round >= WARM_UP) times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  return { median: times[ROUNDS >> 1], p95: times[Math.floor(ROUNDS * 0.95)] };
}

const engine = await load();
const others = engine.profiles.filter((name) => !["rfc9309", "draft1996", "original1994"].includes(name));

function withFile(content, work) {
  const handle = engine.open(content);
  try {
    return work(handle);
  } finally {
    engine.close(handle);
  }
}

const rows = [];
function measure(name, work) {
  rows.push({ name, ...time(work) });
}

for (const [size, name, urls] of [
  [5_000, "5 KB", 50],
  [500_000, "500 KB", 200],
]) {
  const several = file(size, { groups: 10 });
  const one = file(size, { groups: 1, isWildcard: true });
  measure(`parse ${name}`, () => withFile(several, (handle) => engine.readers(handle, "rfc9309", 1, [])));
  engine.setTargets(targets(urls));
  engine.setAgents(agents(20));
  for (const [kind, content] of [["10 groups", several], ["one group, all wildcards", one]]) {
    const size = `${name} x ${urls} x 20, ${kind}`;
    measure(size, () => withFile(content, (handle) => engine.matrix(handle, "rfc9309", 0, urls)));
    measure(`${size}: differences of seven profiles`, () =>
      withFile(content, (handle) => engine.differences(handle, "rfc9309", others, 0, urls)),
    );
  }
  withFile(one, (handle) => {
    const agent = { tokens: ["Bot1"], starApplies: true };
    measure(`explain one cell, ${name}, one group, all wildcards`, () =>
      engine.explain(handle, "rfc9309", "https://www.example.com/shop/cart/blog?q=1", agent),
    );
  });
}

const module = await readFile(MODULE);
console.log(`${module.length} bytes; gzip ${gzipSync(module).length}; brotli ${brotliCompressSync(module).length}\n`);
console.log("| | median, ms | p95, ms |\n|---|---|---|");
for (const { name, median, p95 } of rows) console.log(`| ${name} | ${median.toFixed(2)} | ${p95.toFixed(2)} |`);
