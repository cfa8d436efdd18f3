/** The differences that docs/javascript.md lists: what both packages answer, as JSON. */

const robotsParser = require("robots-parser");
const moved = require("canfetch/robots-parser");

const FILE = "https://example.com/robots.txt";
const allowed = (path, agent) => (robots) => robots.isAllowed(`https://example.com${path}`, agent) ?? "undefined";

/** The title of the row, the file, the question, and the answers of robots-parser and of canfetch. */
const DIFFERENCES = [
  ["`Disallow: /`, and the URL `/robots.txt`", "User-agent: *\nDisallow: /", allowed("/robots.txt"), false, true],
  [
    "`Sitemap` or another record between two user-agent lines",
    "User-agent: a\nSitemap: /s.xml\nUser-agent: b\nDisallow: /x",
    allowed("/x", "a"),
    true,
    false,
  ],
  [
    "a user-agent line at its end, without rules",
    "User-agent: *\nDisallow: /x\n\nUser-agent: a",
    allowed("/x", "a"),
    false,
    true,
  ],
  ["`Disallow: /%61`, and the URL `/a`", "User-agent: *\nDisallow: /%61", allowed("/a"), true, false],
  [
    "`Disallow: /b%61`, `Allow: /b*d`, and the URL `/b%61cd`",
    "User-agent: *\nDisallow: /b%61\nAllow: /b*d",
    allowed("/b%61cd"),
    false,
    true,
  ],
  ["`Disallow: /*%`, and the URL `/%7Euser`", "User-agent: *\nDisallow: /*%", allowed("/%7Euser"), false, true],
  ["`Disallow: /*4`, and the URL `/price$`", "User-agent: *\nDisallow: /*4", allowed("/price$"), true, false],
  ["`Disallow: /a%24`, and the URL `/a$`", "User-agent: *\nDisallow: /a%24", allowed("/a$"), true, false],
  ["`User-agent: a b`, `a,b` or `a*`, and the agent `a`", "User-agent: a,b\nDisallow: /x", allowed("/x", "a"), true, false],
  ...["a b", "a,b", "a*", "a (x)"].map((agent) => [
    "`User-agent: a`, and the agent `a b`, `a,b`, `a*` or `a (x)`",
    "User-agent: a\nDisallow: /x",
    allowed("/x", agent),
    true,
    false,
  ]),
  ["`User-agent: * x`, and any agent", "User-agent: * x\nDisallow: /x", allowed("/x", "a"), true, false],
  ["`User-agent: */1`, and any agent", "User-agent: */1\nDisallow: /x", allowed("/x", "a"), false, true],
  ["`Disallow: /a[b]` or `/a^b`, and the same path", "User-agent: *\nDisallow: /a[b]", allowed("/a[b]"), true, false],
  ...[["/p?a,b", "/p?a%2Cb"], ["/p?a%2Cb", "/p?a,b"]].map(([value, path]) => [
    "`Disallow: /p?a,b`, and the URL `/p?a%2Cb`, or the reverse",
    `User-agent: *\nDisallow: ${value}`,
    allowed(path),
    true,
    false,
  ]),
  ...["/p\u00a0", "\ufeff/p", "\u3000/p", "/p\u2028"].map((value) => [
    "U+00A0, U+FEFF, U+3000, U+2028 or other white space beyond ASCII around `/p` in `Disallow: /p`, and the URL `/p`",
    `User-agent: *\nDisallow: ${value}`,
    allowed("/p"),
    false,
    true,
  ]),
  ...["\u00a0Disallow: /p", "Disallow\u00a0: /p"].map((line) => [
    "such white space around a key or around the agent of a user-agent line, as in `User-agent:\u00a0*`",
    `User-agent: *\n${line}`,
    allowed("/p"),
    false,
    true,
  ]),
  ...["User-agent:\u00a0*", "User-agent: *\u00a0", "\u00a0User-agent: *"].map((line) => [
    "such white space around a key or around the agent of a user-agent line, as in `User-agent:\u00a0*`",
    `${line}\nDisallow: /p`,
    allowed("/p"),
    false,
    true,
  ]),
  ["`Disallow: /p` and a NUL, and the URL `/p%00`", "User-agent: *\nDisallow: /p\0", allowed("/p%00"), false, true],
  ["a rule after the first 500 KiB", `User-agent: *\n${"#".repeat(512_000)}\nDisallow: /x`, allowed("/x"), false, true],
];

console.log(
  JSON.stringify(
    DIFFERENCES.map(([title, content, ask, expectedTheirs, expectedOurs]) => {
      const [theirs, ours] = [robotsParser, moved].map((parser) => ask(parser(FILE, content)));
      return { title, theirs, ours, expectedTheirs, expectedOurs };
    }),
  ),
);
