/** More files, agents and bytes than the engine has room for: run with --expose-gc. */

import assert from "node:assert";

import { parse } from "canfetch";
import robotsParser from "canfetch/robots-parser";

const robots = Array.from({ length: 3000 }, (_, number) => parse(`User-agent: *\nDisallow: /${number}$\nSitemap: ${number}`));
for (let round = 0; round < 2; round++) {
  for (const [number, file] of robots.entries()) {
    assert.equal(file.allows(`/${number}`, "ExampleBot"), false);
    assert.equal(file.allows(`/${number + 1}`, "ExampleBot"), true);
    assert.equal(file.decide(`/${number}`, "ExampleBot").line, 2);
  }
}
assert.deepEqual(robots[7].sitemaps, ["7"]);

// Each of 2,000 agents has its own group.
const groups = parse(Array.from({ length: 2000 }, (_, number) => `User-agent: a${number}\nDisallow: /${number}$\n`).join(""));
const rules = Array.from({ length: 2000 }, (_, number) => groups.rulesFor(`a${number}`));
for (const [number, own] of rules.entries()) {
  assert.equal(own.allows(`/${number}`), false);
  assert.equal(own.allows("/x"), true);
  assert.equal(groups.allows(`/${number}`, `a${number}`), false);
}

// 1.6 GB of files, which nothing refers to. The loop gives no callback of a collected file a chance to run.
const comment = `#${"x".repeat(400_000)}\nUser-agent: *\nDisallow: /`;
for (let count = 0; count < 4000; count++) {
  assert.equal(parse(comment).allows("/", "ExampleBot"), false);
  if (count % 100 === 0) globalThis.gc();
}
const megabytes = process.memoryUsage.rss() / 1e6;
assert(megabytes < 600, `${megabytes} MB`);

// What lies past the limit does not count, and no part of a line does. UTF-16 is read.
const site = "https://example.com/robots.txt";
const past = (line) => robotsParser(site, `User-agent: *\n${"#".repeat(511_980)}\n${line}\nDisallow: /`);
assert.deepEqual(past("Sitemap: https://example.com/news.xml").getSitemaps(), []);
assert.equal(past("Crawl-delay: 600").getCrawlDelay(), undefined);
const utf16 = new Uint8Array(Buffer.from("\ufeffUser-agent: *\nCrawl-delay: 7\nSitemap: /s\n", "utf16le"));
assert.deepEqual([robotsParser(site, utf16).getCrawlDelay(), robotsParser(site, utf16).getSitemaps()], [7, ["/s"]]);

// A lone surrogate of a file is not a replacement character. For one of a URL, `fetch` requests a replacement character.
const surrogate = parse("User-agent: *\nDisallow: /\ud800");
assert.deepEqual([surrogate.allows("/\ufffd", "a"), surrogate.allows("/\ud800", "a")], [true, true]);
assert.equal(surrogate.allows(new Uint8Array([0x2f, 0xed, 0xa0, 0x80]), "a"), false);
assert.equal(parse("User-agent: *\nDisallow: /\ufffd").allows("/\ud800", "a"), false);

// Neither a key of several tokens nor an unknown option is accepted.
assert.equal(groups.allows("/5", { tokens: ["a5"] }), false);
assert.throws(() => groups.allows("/5", "true\na5"), { name: "TypeError" });
assert.throws(() => parse("", { profil: "google" }), { name: "TypeError", code: "invalid-option" });

// Crawl delays of hostile files take linear time: each agent times each record would be 400 million steps, or too many
// arguments.
const lines = (count, line) => Array.from({ length: count }, (_, number) => `${line(number)}\n`).join("");
const shared = lines(20_000, (number) => `User-agent: a${number}`) + lines(20_000, () => "Crawl-delay: 1");
assert.equal(robotsParser("https://example.com/robots.txt", shared).getCrawlDelay("a7"), 1);
assert.equal(parse(shared).crawlDelay("a7"), 1);
const repeated = `User-agent: a\n${lines(20_000, (number) => `Crawl-delay:${number}`)}`;
assert.equal(parse(repeated).crawlDelay("a"), 19_999);
const separate = lines(10_000, () => "User-agent: a\nDisallow: /x\nCrawl-delay: 3");
assert.equal(parse(separate).crawlDelay("a"), 3);

// A file that is larger than what the engine keeps, and one over the largest limit.
const large = `${"#".repeat(2 ** 25)}\nUser-agent: *\nDisallow: /\n${"#".repeat(2 ** 25)}\n`;
assert.equal(parse(large).allows("/", "ExampleBot"), true);
assert.equal(parse(large, { maxBytes: 2 ** 26 - 16 }).allows("/", "ExampleBot"), false);
assert.throws(() => parse(large, { maxBytes: 2 ** 26 }), TypeError);
assert.throws(() => groups.allows(`/${"x".repeat(2 ** 26)}`, "ExampleBot"), { name: "TypeError", code: "invalid-url" });
assert.equal(groups.allows("/5", "a5"), false);
console.log("done");
