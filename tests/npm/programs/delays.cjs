/** The delays of both packages are those of the groups whose rules apply. */

const assert = require("node:assert");

const moved = require("canfetch/robots-parser");
const robotsParser = require("robots-parser");

const SITE = "https://example.com/robots.txt";
const URL_OF_GROUP = "https://example.com/p";
const file = (userAgent) =>
  `User-agent: *\nDisallow: /x\nCrawl-delay: 1\n\nUser-agent: ${userAgent}\nDisallow: /p\nCrawl-delay: 60`;

// In each file, the second group has a token of no crawler, or one of several forms of `*` or `king`.
const ANY = ["*", "* x", "*\tx", "*bot", "*x", "*,x", "**", "*;x", "*/1", "*\u00a0", ",", "/1", "", "a b", "a\u0001b"];
for (const userAgent of [...ANY, "king", "KING", "king\u00a0", "\u212aing", "king,x", "king x", "king/2"]) {
  for (const agent of ["zzz", "a", "king", undefined]) {
    const robots = moved(SITE, file(userAgent));
    const expected = robots.isAllowed(URL_OF_GROUP, agent) ? 1 : 60;
    assert.equal(robots.getCrawlDelay(agent), expected, JSON.stringify([userAgent, agent]));
  }
}
for (const userAgent of ["*bot", "*x", "*,x", "**", "*;x", ","]) {
  for (const parser of [moved, robotsParser]) assert.equal(parser(SITE, file(userAgent)).getCrawlDelay("zzz"), 1);
}

// Other records between user-agent lines, and a group without rules.
const delay = (text, agent) => moved(SITE, text).getCrawlDelay(agent);
assert.equal(delay("User-agent: a\nSitemap: /s.xml\nUser-agent: b\nDisallow: /x\nCrawl-delay: 5", "a"), 5);
assert.equal(delay("User-agent: *\nDisallow: /x\nCrawl-delay: 5\n\nUser-agent: a", "a"), undefined);
// A delay ends the list of user-agent lines, as in robots-parser.
const separate = "User-agent: a\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /x";
assert.deepEqual([delay(separate, "a"), delay(separate, "b")], [10, undefined]);
assert.deepEqual(["a", "b"].map((agent) => robotsParser(SITE, separate).getCrawlDelay(agent)), [10, undefined]);
// A crawler must limit these.
for (const [value, expected] of [["-5", -5], ["Infinity", Infinity], ["1e9", 1e9]]) {
  const text = `User-agent: *\nCrawl-delay: ${value}`;
  for (const parser of [moved, robotsParser]) assert.equal(parser(SITE, text).getCrawlDelay("a"), expected);
}
console.log("done");
