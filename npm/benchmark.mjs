/**
 * Compares the speed of canfetch with that of robots-parser, in one run.
 *
 * usage: node npm/benchmark.mjs FOLDER
 *
 * FOLDER has both packages in its node_modules; `make npm-bench` prepares one.
 */

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = path.resolve(process.argv[2] ?? ".");
const require = createRequire(path.join(folder, "index.js"));
const canfetch = require("canfetch");
const moved = require("canfetch/robots-parser");
const robotsParser = require("robots-parser");

const URL_OF_FILE = "https://www.example.com/robots.txt";
const ROUNDS = 7;
const PROCESSES = 9;
const SECONDS = 0.15;

const example = readFileSync(fileURLToPath(new URL("../examples/robots.txt", import.meta.url)), "utf8");
const long = ["User-agent: *"];
for (let number = 0; number < 2000; number++) {
  long.push(number % 4 === 0 ? `Disallow: /*/section-${number}/*.html$` : `Disallow: /shop/section-${number}/item`);
}
const files = { "example, 3 KB": [example, "GPTBot"], "2,000 rules, 72 KB": [long.join("\n"), "ExampleBot"] };
const urls = Array.from({ length: 200 }, (_, number) => `https://www.example.com/shop/section-${number * 11}/page-${number}.html?q=${number}`);

/** A way to use one of the packages: how a file is parsed, and how a URL is decided. */
const ways = {
  "robots-parser": (content, agent) => {
    const robots = robotsParser(URL_OF_FILE, content);
    return (url) => robots.isAllowed(url, agent);
  },
  "canfetch/robots-parser": (content, agent) => {
    const robots = moved(URL_OF_FILE, content);
    return (url) => robots.isAllowed(url, agent);
  },
  canfetch: (content, agent) => {
    const robots = canfetch.parse(content, { url: URL_OF_FILE });
    return (url) => robots.allows(url, agent);
  },
};

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Return the microseconds of one call, the median of several rounds. */
function measure(call) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    let calls = 0;
    const start = performance.now();
    let now = start;
    for (; now - start < SECONDS * 1000; now = performance.now()) {
      for (let time = 0; time < 10; time++) call(calls++);
    }
    rounds.push(((now - start) * 1000) / calls);
  }
  return median(rounds);
}

/** Return the milliseconds from the import to the first decision, in a new process. */
function firstCall(name) {
  const uses = {
    "robots-parser": `require("robots-parser")(url, content).isAllowed(page, "GPTBot")`,
    "canfetch/robots-parser": `require("canfetch/robots-parser")(url, content).isAllowed(page, "GPTBot")`,
    canfetch: `require("canfetch").parse(content, { url }).allows(page, "GPTBot")`,
  };
  const script = `
    const content = ${JSON.stringify(example)}, url = "${URL_OF_FILE}", page = "${urls[0]}";
    const start = performance.now();
    ${uses[name]};
    process.stdout.write(String(performance.now() - start));`;
  const run = () => Number(execFileSync(process.execPath, ["-e", script], { cwd: folder, encoding: "utf8" }));
  return median(Array.from({ length: PROCESSES }, run));
}

const names = Object.keys(ways);
const measured = (value) => Object.fromEntries(names.map((name) => [name, value(name)]));
const rows = [];
const addRow = (title, values, unit, digits) => rows.push([title, ...names.map((name) => `${values[name].toFixed(digits)}${unit}`)]);

const first = measured(firstCall);
addRow("first call: load, parse, decide", first, " ms", 1);
for (const [file, [content, agent]] of Object.entries(files)) {
  addRow(`parse and decide once: ${file}`, measured((name) => measure(() => ways[name](content, agent)(urls[0]))), " µs", 1);
  const decisions = measured((name) => {
    const decide = ways[name](content, agent);
    return measure((call) => decide(urls[call % urls.length]));
  });
  addRow(`one decision: ${file}`, decisions, " µs", 2);
  const [usual, ...others] = names;
  const counts = others.map((name) => ((first[name] - first[usual]) * 1000) / (decisions[usual] - decisions[name]));
  rows.push([`decisions after which loading has paid off: ${file}`, "", ...counts.map((count) => String(Math.ceil(count)))]);
}
console.log(`Node.js ${process.version}, robots-parser ${require("robots-parser/package.json").version}\n`);
console.log(`| | ${names.join(" | ")} |`);
console.log(`| --- |${" --- |".repeat(names.length)}`);
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
