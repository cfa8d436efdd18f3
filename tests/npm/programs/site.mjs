/** The site of the example in docs/javascript.md, in place of the network. */

const PAGES = {
  "/robots.txt":
    "User-agent: *\nDisallow: /private/\nAllow: /private/press\nCrawl-delay: 0.01\n" +
    "Sitemap: https://example.com/sitemap.xml\n",
  "/": '<a href="/fish">Fish</a> <a href="private/">Private</a> <a href="/private/press">Press</a>',
  "/sitemap.xml": "<urlset><url><loc>https://example.com/fish</loc></url><url><loc>https://example.com/more</loc></url></urlset>",
  "/fish": '<a href="/">Home</a>',
  "/private/press": "",
};

// The status of the robots.txt: 0 is no answer.
const STATUS = Number(process.env.STATUS ?? "200");

globalThis.fetch = async (url) => {
  const { pathname } = new URL(url);
  if (pathname === "/robots.txt" && STATUS === 0) throw new TypeError("fetch failed");
  if (pathname === "/robots.txt" && STATUS !== 200) return new Response("Disallow: /", { status: STATUS });
  return new Response(PAGES[pathname] ?? "", { status: pathname in PAGES ? 200 : 404 });
};
