/** Arguments that other programs do not use: of other realms, detached, very long, and the copies of a verdict. */

import assert from "node:assert";
import { runInNewContext } from "node:vm";

import { allows, parse, productToken } from "canfetch";
import robotsParser from "canfetch/robots-parser";

const SITE = "https://example.com/robots.txt";
const TEXT = "User-agent: *\nDisallow: /p\n";
const robots = parse(TEXT);
const moved = robotsParser(SITE, TEXT);

// Bytes of another realm.
const foreign = runInNewContext("Uint8Array.from(bytes)", { bytes: [...new TextEncoder().encode("/p")] });
assert(!(foreign instanceof Uint8Array));
assert.equal(robots.allows(foreign, "a"), false);
assert.equal(robots.decide(foreign, "a").line, 2);
assert.equal(parse(TEXT, { url: SITE }).allows(foreign, "a"), false);
assert.throws(() => robots.allows(new Uint16Array(1), "a"), { name: "TypeError", code: "invalid-url" });

// Text means what `new URL` makes of it, because `fetch` requests that. Bytes mean themselves.
const ofFile = parse(TEXT, { url: SITE });
for (const url of [
  "https://example.com/\np",
  "https://example.com/\tp",
  "https://example.com/\rp",
  "https://example.com/x\\..\\p",
  "https://example.com\\@example.org/../p",
  " https://example.com/p",
  "ht\ntps:\\\\example.com\\p",
  "\u0001//example.com/\np",
  "/\np",
  "/x\\..\\p",
  "\\p ",
  " /p",
  // For the URL of Deno, this one is not valid.
  ...["///example.com/p"].filter((url) => URL.canParse(url, SITE)),
]) {
  assert.equal(new URL(url, SITE).pathname, "/p");
  for (const one of [robots, ofFile]) {
    assert.deepEqual([one.allows(url, "a"), one.rulesFor("a").allows(url), one.decide(url, "a").line], [false, false, 2], url);
  }
  assert.equal(ofFile.decide(url, "a").target, "/p");
}
assert.equal(allows(TEXT, "/\np", "a"), false);
for (const [rule, url, isAllowed] of [
  ["/*%27", "https://example.com/x?q='a", false],
  ["/*'", "https://example.com/x?q='a", true],
  ["/*'", "https://example.com/x'a", false],
]) {
  for (const one of [url, new URL(url)]) assert.equal(allows(`User-agent: *\nDisallow: ${rule}`, one, "a"), isAllowed, rule);
}
assert.equal(robots.decide("/\ud800", "a").target, "/%EF%BF%BD");
assert.equal(robots.allows(new TextEncoder().encode("/\np"), "a"), true);
for (const url of ["\np", "http:/p\n", "1://example.com/\n", "https://\n", "\\\\[x", "///[x"]) {
  for (const one of [robots, ofFile]) assert.throws(() => one.allows(url, "a"), { name: "TypeError", code: "invalid-url" });
}
assert.throws(() => ofFile.allows("/\\example.org/p", "a"), { code: "origin-mismatch" });
assert.throws(() => ofFile.allows("https://example.org\\@example.com/p", "a"), { code: "origin-mismatch" });
assert.throws(() => parse(TEXT, { url: "/robots.txt\n" }), { code: "invalid-url" });

// A buffer that was transferred.
function detached() {
  const bytes = new TextEncoder().encode("/p");
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
}
const isDetached = (code) => ({ name: "TypeError", code, message: /its buffer is detached/ });
assert.throws(() => parse(detached()), isDetached("invalid-content"));
assert.throws(() => parse(detached().buffer), isDetached("invalid-content"));
assert.throws(() => robotsParser(SITE, detached()), isDetached("invalid-content"));
assert.throws(() => robots.allows(detached(), "a"), isDetached("invalid-url"));
assert.throws(() => robots.decide(detached(), "a"), isDetached("invalid-url"));
assert.equal(parse(new Uint8Array()).allows("/p", "a"), true);
assert.throws(() => robots.allows(new Uint8Array(), "a"), { code: "invalid-url", message: /invalid URL ''/ });

// URLs of millions of characters.
for (const length of [1 << 16, 8.4e6, 3e7]) {
  assert.equal(moved.isAllowed(`https://example.com/p${"a".repeat(length)}`, "x"), false);
  assert.equal(moved.isAllowed(`https://example.com/q${"a".repeat(length)}`, "x"), true);
}
assert.equal(moved.isAllowed("https://example.com/p", "a".repeat(3e7)), false);

// The copies of a verdict have all of its values.
const verdict = robots.decide("/p", "a");
assert.equal(verdict.explanation, "line 2, Disallow: /p");
for (const copy of [{ ...verdict }, structuredClone(verdict), JSON.parse(JSON.stringify(verdict))]) {
  assert.deepEqual(copy, { ...verdict });
  assert.equal(copy.explanation, verdict.explanation);
}

// The profiles of the interfaces, and the crawlers that ignore `*`.
for (const text of ["User-agent: *\nDisalow: /p", "Useragent: *\nDisallow: /p", "User-agent: *\nDisallow /p"]) {
  assert.equal(parse(text).allows("/p", "a"), false);
  assert.equal(parse(text, { profile: "google2019" }).allows("/p", "a"), true);
  assert.equal(robotsParser(SITE, text).isAllowed("https://example.com/p", "a"), true);
}
assert.equal(robots.allows("/p", "AdsBot-Google"), true);
assert.equal(robots.allows("/p", { tokens: "AdsBot-Google", starApplies: true }), false);
assert.equal(moved.isAllowed("https://example.com/p", "AdsBot-Google"), false);

// The interface of robots-parser takes each kind of bytes, and nothing else than text besides.
const utf16 = new Uint8Array(Buffer.from(`\ufeff${TEXT}`, "utf16le"));
for (const content of [utf16, utf16.buffer, new DataView(utf16.buffer)]) {
  assert.equal(robotsParser(SITE, content).isAllowed("https://example.com/p"), false);
}
for (const missing of [null, undefined, ""]) {
  assert.equal(moved.isAllowed("https://example.com/p", missing), false);
  assert.equal(robotsParser(SITE, missing).isAllowed("https://example.com/p"), true);
}
assert.throws(() => robotsParser(SITE, false), { code: "invalid-content" });
assert.throws(() => moved.isAllowed("https://example.com/p", 0), { code: "invalid-agent" });

// The table of the functions in docs/javascript.md.
const own = parse(TEXT, { url: SITE });
assert.throws(() => own.allows("https://example.org/", "a"), { code: "origin-mismatch" });
assert.deepEqual([moved.isAllowed("https://example.org/"), moved.isDisallowed("https://example.org/")], [undefined, true]);
const header = "Mozilla/5.0 (compatible; ExampleBot/1.0)";
assert.deepEqual([own.allows("/p", productToken(header)), moved.isAllowed("https://example.com/p", header)], [false, false]);
const named = "User-agent: ExampleBot\nDisallow: /p\n\nUser-agent: Mozilla\nDisallow: /q";
assert.equal(parse(named).allows("/p", productToken(header)), false);
assert.equal(robotsParser(SITE, named).isAllowed("https://example.com/p", header), true);
assert.equal(robotsParser(SITE, named).isAllowed("https://example.com/q", header), false);
assert.equal(own.allows("/p", "*"), moved.isAllowed("https://example.com/p"));
assert.throws(() => own.allows("/p"), { code: "invalid-agent" });
assert.equal(own.allows("/p", { tokens: "a", starApplies: false }), !moved.isExplicitlyDisallowed("https://example.com/p", "a"));
assert.deepEqual([own.decide("/q", "a").line, moved.getMatchingLineNumber("https://example.com/q")], [null, -1]);
assert.deepEqual([own.crawlDelay("a"), moved.getCrawlDelay("a")], [null, undefined]);
assert.equal(moved.isAllowed("/p"), undefined);
assert.throws(() => own.allows("p", "a"), { code: "invalid-url" });
console.log("done");
