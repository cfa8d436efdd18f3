/**
 * Compares canfetch/robots-parser with robots-parser on generated files, and prints what differs as JSON.
 *
 * usage: node differences.mjs FOLDER FILES [FEATURE...]
 *
 * FOLDER has both packages in its node_modules. Without features, the files have nothing on which the packages differ.
 */

import { createRequire } from "node:module";
import path from "node:path";

const [folder, files, ...features] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(folder), "index.js"));
const moved = require("canfetch/robots-parser");
const robotsParser = require("robots-parser");

// Reproducible random numbers (mulberry32).
let state = 9309;
function below(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}
const pick = (list) => list[below(list.length)];
const has = (feature) => features.includes(feature);
const repeat = (limit, make) => Array.from({ length: below(limit) + 1 }, make);

const TOKENS = ["*", "*", "ExampleBot", "examplebot", "Other-Bot", "third_bot", "Bot/1.0"];
const AGENTS = ["ExampleBot", "ExampleBot/2.1", "OTHER-bot", "third_bot/1", "bot", "unknown", "*", "", undefined];
const PARTS = ["/", "/", "a", "b", "ab", "B", "1", "-", "_", ".", "?", "=", "&", "~", "caf\u00e9", "%E2%82%AC", "%e2", "\u20ac", ",", "+", "(", "!", "@", "'"];
const WILD = [...PARTS, "*", "*", "$"];
const ESCAPES = ["%61", "%2F", "%41", "%7E", "%2a", "%24", "%"];

const pattern = () => {
  const parts = has("escapes") ? [...WILD, ...ESCAPES] : WILD;
  const start = has("starts") ? pick(["/", "/", "", "*"]) : pick(["/", "/", "/", "/*"]);
  const text = start + repeat(5, () => pick(parts)).join("");
  return pick([false, false, true]) ? `${text}$` : text;
};
const url = () => {
  const parts = has("escapes") ? [...PARTS, ...ESCAPES, "*", "$"] : PARTS;
  const rest = repeat(5, () => pick(parts)).join("");
  return pick([`/${rest}`, `/a${rest}`, `/b/${rest}`, `/${rest}#${rest}`]);
};
const rule = () => `${pick(["Disallow", "Disallow", "disallow ", "Allow", "ALLOW"])}:${pick(["", " ", "  "])}${below(12) === 0 ? "" : pattern()}`;
const other = () =>
  pick([
    "Crawl-delay: 3",
    "crawl-delay: 1.5",
    "Crawl-delay:",
    "Crawl-delay: x",
    "Host: Example.COM",
    "Host:",
    "Sitemap: https://example.com/s.xml",
    "sitemap: /s.xml # comment",
    "Unknown: value",
    "# comment",
    "",
    "   ",
    "no record",
    ": value",
  ]);
const userAgent = () => `${pick(["User-agent", "user-agent", "USER-AGENT"])}: ${pick(TOKENS)}`;

function file() {
  const lines = repeat(3, other);
  for (let groups = below(4); groups >= 0; groups--) {
    for (const line of repeat(2, userAgent)) {
      lines.push(line);
      // Between user-agent lines, a blank line or a comment ends no group in either package.
      if (has("groups")) lines.push(...repeat(2, other));
      else if (below(4) === 0) lines.push(pick(["", "# comment", "   "]));
    }
    // A group without rules applies only in one of the packages.
    lines.push(rule());
    for (const line of repeat(5, () => (below(5) === 0 ? other() : rule()))) lines.push(line);
  }
  if (has("empty groups")) lines.push(userAgent());
  if (has("keys")) lines.splice(below(lines.length), 0, pick(["Dissallow: /a", "Disallow /a", "useragent: *"]));
  return `${below(8) === 0 ? "\ufeff" : ""}${lines.join(pick(["\n", "\r\n", "\r", "\n"]))}`;
}

/** Return the answers of a package about a file. */
function answers(parser, content, urls) {
  const robots = parser("https://example.com/robots.txt", content);
  return {
    decisions: urls.map(([url, agent]) => [
      robots.isAllowed(url, agent),
      robots.isDisallowed(url, agent),
      robots.getMatchingLineNumber(url, agent),
    ]),
    delays: AGENTS.map((agent) => robots.getCrawlDelay(agent) ?? null),
    sitemaps: robots.getSitemaps(),
    host: robots.getPreferredHost(),
  };
}

let [decisions, different] = [0, 0];
const examples = [];
for (let count = 0; count < Number(files); count++) {
  const content = file();
  const urls = Array.from({ length: 12 }, () => {
    const target = has("robots.txt") && below(6) === 0 ? "/robots.txt" : url();
    const prefix = pick(["https://example.com", "https://EXAMPLE.com:443", "https://example.com", "http://example.com", ""]);
    return [`${prefix}${target}`, pick(AGENTS)];
  });
  const [theirs, ours] = [answers(robotsParser, content, urls), answers(moved, content, urls)];
  decisions += urls.length;
  for (const [index, decision] of theirs.decisions.entries()) {
    if (JSON.stringify(decision) === JSON.stringify(ours.decisions[index])) continue;
    different++;
    if (examples.length < 8) examples.push({ content, url: urls[index], theirs: decision, ours: ours.decisions[index] });
  }
  for (const key of ["delays", "sitemaps", "host"]) {
    if (JSON.stringify(theirs[key]) === JSON.stringify(ours[key])) continue;
    different++;
    if (examples.length < 8) examples.push({ content, key, theirs: theirs[key], ours: ours[key] });
  }
}
console.log(JSON.stringify({ files: Number(files), decisions, different, examples }, null, 1));
