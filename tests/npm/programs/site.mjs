/** The site of the example in docs/javascript.md, in place of the network. */

// The status of the robots.txt: 0 is no answer. With a delay, the program prints how long it waits, and does not wait.
const STATUS = Number(process.env.STATUS ?? "200");
const { DELAY } = process.env;
if (DELAY !== undefined) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (call, milliseconds) => setTimeout(call, (console.log(milliseconds), 0));
}

const PAGES = {
  "/robots.txt":
    `User-agent: *\nDisallow: /private/\nAllow: /private/press\nCrawl-delay: ${DELAY ?? 0.01}\n` +
    "Sitemap: https://example.com/sitemap.xml\n",
  "/": '<a href="/fish">Fish</a> <a href="private/">Private</a> <a href="/private/press">Press</a>',
  "/sitemap.xml": "<urlset><url><loc>https://example.com/fish</loc></url><url><loc>https://example.com/more</loc></url></urlset>",
  "/fish": '<a href="/">Home</a> <a href="http://[x">Not a URL</a> <a href="/moved">Moved</a>',
  "/moved": "private/secret",
  "/private/secret": "",
  "/private/press": "",
};

globalThis.fetch = async (url, { redirect } = {}) => {
  const { pathname } = new URL(url);
  if (pathname === "/moved") {
    if (redirect === "manual") return new Response(null, { status: 301, headers: { location: PAGES[pathname] } });
    return fetch(new URL(PAGES[pathname], url));
  }
  if (pathname === "/robots.txt" && STATUS === 0) throw new TypeError("fetch failed");
  if (pathname === "/robots.txt" && STATUS !== 200) return new Response("Disallow: /", { status: STATUS });
  return new Response(PAGES[pathname] ?? "", { status: pathname in PAGES ? 200 : 404 });
};
