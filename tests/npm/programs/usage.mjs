/** Uses the package as a program does. It throws if an answer is wrong. It has no imports, so that it runs everywhere. */

function equal(found, expected) {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}

function thrown(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error(`no error: ${call}`);
}

const TEXT = "User-agent: *\nDisallow: /private\nAllow: /private/press\nCrawl-delay: 2\n\nSitemap: https://example.com/s.xml\n";

export function use({ allows, engineBytes, parse, productToken, version }, robotsParser) {
  const robots = parse(TEXT);
  equal(robots.allows("https://example.com/private/press/2026", "ExampleBot"), true);
  equal(robots.allows("/private/caf\u00e9", "ExampleBot"), false);
  equal(robots.allows(new URL("https://example.com/private"), { tokens: ["A", "B"] }), false);
  equal(robots.sitemaps, ["https://example.com/s.xml"]);
  equal(robots.crawlDelay("ExampleBot"), 2);
  equal(robots.crawlDelay("AdsBot-Google"), null);
  equal(robots.allows("/private", "AdsBot-Google"), true);
  equal(robots.allows("/private", { tokens: "AdsBot-Google", starApplies: true }), false);

  const verdict = robots.decide("https://example.com/private/press?a#b", "ExampleBot");
  equal(verdict, {
    allowed: true,
    reason: "allow-rule",
    rule: { type: "allow", pattern: "/private/press", line: 3, specificity: 14 },
    line: 3,
    alsoMatched: [{ type: "disallow", pattern: "/private", line: 2, specificity: 8 }],
    group: { choice: "star", token: "*", lines: [1] },
    agent: { tokens: ["ExampleBot"], starApplies: true },
    target: "/private/press?a",
    profile: "rfc9309",
    explanation: "line 3, Allow: /private/press",
  });
  equal(String(verdict), "allowed: line 3, Allow: /private/press");
  equal(String(robots.decide("/", "ExampleBot")), "allowed: no rule for * matches");
  equal(String(robots.decide("/robots.txt", "ExampleBot")), "allowed: /robots.txt is always allowed");
  equal(String(parse("").decide("/", "ExampleBot")), "allowed: no group applies to ExampleBot");

  const rules = robots.rulesFor("ExampleBot");
  equal(["/private/a", "/b"].map(rules.allows), [false, true]);
  const { decide } = rules;
  equal(decide("/private").line, 2);
  equal([rules.crawlDelay, rules.decide("/private").line, rules.agent], [2, 2, { tokens: ["ExampleBot"], starApplies: true }]);

  const bytes = new TextEncoder().encode(TEXT);
  for (const content of [bytes, bytes.buffer, new DataView(bytes.buffer), TEXT]) {
    equal(allows(content, "/private", "ExampleBot", { profile: "google", maxBytes: 600_000 }), false);
  }
  // Changing the bytes afterwards changes nothing, and a file in UTF-16 is recognised.
  const copied = parse(bytes);
  bytes.fill(0);
  equal(copied.allows("/private", "ExampleBot"), false);
  equal(allows(new Uint8Array([0xff, 0xfe, ...[...TEXT].flatMap((one) => [one.charCodeAt(0), 0])]), "/private", "Bot"), false);

  // A URL that is not valid UTF-8, and text with half of a character.
  equal(parse("User-agent: *\nDisallow: /%FF").allows(new Uint8Array([0x2f, 0xff]), "ExampleBot"), false);
  equal(parse("User-agent: *\nDisallow: /\ud800").allows("/\ufffd", "ExampleBot"), true);

  const ofSite = parse(TEXT, { url: "https://example.com/robots.txt" });
  equal(ofSite.allows("https://EXAMPLE.com:443/private", "ExampleBot"), false);
  equal(ofSite.allows("//example.com/private", "ExampleBot"), false);

  equal(productToken("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), "Googlebot");

  const disposed = parse(TEXT);
  equal(disposed.sitemaps.length, 1);
  disposed.dispose();
  disposed.dispose();
  for (const call of [
    () => disposed.allows("/", "ExampleBot"),
    () => disposed.decide("/", "ExampleBot"),
    () => disposed.rulesFor("ExampleBot"),
    () => disposed.crawlDelay("ExampleBot"),
    () => disposed.sitemaps,
  ]) {
    equal([thrown(call).name, thrown(call).code], ["TypeError", "disposed"]);
  }
  if (Symbol.dispose) {
    const other = parse(TEXT);
    other[Symbol.dispose]();
    equal(thrown(() => other.sitemaps).message, "this robots.txt was disposed of: parse the file again");
  }

  for (const [code, value, call] of [
    ["invalid-content", "5", () => parse(5)],
    ["invalid-content", "undefined", () => parse()],
    ["invalid-content", "of type function: expected a string, an ArrayBuffer, or a Uint8Array or another view", () => parse(equal)],
    ["invalid-content", "await", () => parse(Promise.resolve(TEXT))],
    ["invalid-option", "'google'", () => parse(TEXT, "google")],
    ["unknown-profile", "'gogle'", () => parse(TEXT, { profile: "gogle" })],
    ["invalid-limit", "500", () => parse(TEXT, { maxBytes: 500 })],
    ["invalid-limit", "'1e6'", () => parse(TEXT, { maxBytes: "1e6" })],
    ["invalid-robots-url", "'https://example.com/'", () => parse(TEXT, { url: "https://example.com/" })],
    ["invalid-url", "'private'", () => robots.allows("private", "ExampleBot")],
    ["invalid-url", "'http://a b/'", () => robots.decide("http://a b/", "ExampleBot")],
    ["invalid-url", "undefined", () => robots.allows(undefined, "ExampleBot")],
    ["invalid-url", "of type Object", () => robots.allows({}, "ExampleBot")],
    ["origin-mismatch", "'https://example.org/'", () => ofSite.allows("https://example.org/", "ExampleBot")],
    ["origin-mismatch", "'https://example.org/'", () => ofSite.decide("https://example.org/", "ExampleBot")],
    ["invalid-agent", "undefined", () => robots.allows("/")],
    ["invalid-agent", "of type Array", () => robots.allows("/", ["A"])],
    ["invalid-agent", "tokens []", () => robots.decide("/", { tokens: [] })],
    ["invalid-agent", "tokens 5", () => robots.decide("/", { tokens: 5 })],
    ["invalid-agent", "tokens[0] 7", () => robots.rulesFor({ tokens: [7] })],
    ["invalid-agent", "tokens[0] undefined", () => robots.allows("/", { tokens: [undefined] })],
    ["invalid-agent", "tokens[1] undefined", () => robots.decide("/", { tokens: ["a", undefined] })],
    ["invalid-agent", "tokens[0] of type Array: expected a string", () => robots.crawlDelay({ tokens: [["a"]] })],
    ["invalid-option", "'starapplies'", () => robots.allows("/", { tokens: "a", starapplies: true })],
    ["invalid-agent", "'no'", () => robots.rulesFor({ tokens: "A", starApplies: "no" })],
    ["invalid-product-token", "productToken()", () => robots.allows("/", "ExampleBot/1.0")],
    ["invalid-product-token", "''", () => robots.crawlDelay("")],
    ["invalid-product-token", "'Mozilla/5.0'", () => productToken("Mozilla/5.0")],
    ["invalid-agent", "null", () => productToken(null)],
  ]) {
    const error = thrown(call);
    equal([error.constructor, error.code].map(String), [TypeError, code].map(String));
    if (!error.message.includes(value)) throw new Error(`${value} is not in '${error.message}'`);
  }

  const moved = robotsParser("https://example.com/robots.txt", `${TEXT}Host: Example.com\n`);
  equal(moved.isAllowed("https://example.com/private/press", "Bot/1.0"), true);
  equal(moved.isDisallowed("https://example.com/private", "Bot/1.0"), true);
  equal(moved.isExplicitlyDisallowed("https://example.com/private", "Bot/1.0"), false);
  equal(moved.isExplicitlyDisallowed("https://example.com/private", "*"), true);
  equal(moved.isExplicitlyDisallowed("https://example.org/private") ?? null, null);
  equal(moved.isAllowed("https://example.org/") ?? null, null);
  equal([moved.getMatchingLineNumber("https://example.com/private"), moved.getMatchingLineNumber("/x")], [2, -1]);
  equal([moved.getCrawlDelay("Bot"), moved.getSitemaps(), moved.getPreferredHost()], [2, ["https://example.com/s.xml"], "example.com"]);
  equal(robotsParser("https://example.com/robots.txt", null).isAllowed("https://example.com/"), true);
  equal(thrown(() => moved.isAllowed("https://example.com/", 5)).name, "TypeError");
  equal(thrown(() => robotsParser("https://example.com/robots.txt", 5)).name, "TypeError");

  equal(engineBytes().slice(0, 4), new Uint8Array([0, 0x61, 0x73, 0x6d]));
  return version;
}
