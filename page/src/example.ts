/** The example of the first visit: the file of examples/robots.txt, and rows and columns that show all of it. */

import file from "../../examples/robots.txt";

const urls = [
  "/",
  "/blog/2026/why-robots",
  "/blog/members/1",
  "/blog/drafts/next",
  "/blog/drafts/published-1",
  "/blog/?sessionid=9",
  "/shop/",
  "/shop/cart/checkout",
  "/shop/7/reviews/write",
  "/shop/originals/kite.jpg",
  "/search?q=kite",
  "/search/about",
  "/internal/press",
  "/archive/1911/",
  "/archive/1911/letters/4",
  "/index.php",
];

const crawlers = [
  "Googlebot",
  "Googlebot-Image",
  "bingbot",
  "Applebot",
  "OAI-SearchBot",
  "GPTBot",
  "ClaudeBot",
  "CCBot",
  "Google-Extended",
  "ChatGPT-User",
  "Claude-User",
  "Perplexity-User",
  "AdsBot-Google",
  "MJ12bot",
];

export const EXAMPLE = {
  address: "https://www.example.com/robots.txt",
  file,
  urls,
  crawlers,
  selected: { url: urls.indexOf("/blog/members/1"), crawler: crawlers.indexOf("GPTBot") },
} as const;

/** Whether the page made the rows from the rules of the file: nobody listed them, and they are not those of the example. */
export function areMadeRows({ ownUrls, closed, urls: rows }: { readonly ownUrls: boolean; readonly closed: boolean; readonly urls: readonly string[] }): boolean {
  // A link or a reload of the first visit has the rows of the example, too.
  return !ownUrls && !closed && !(rows.length === urls.length && rows.every((url, index) => url === urls[index]));
}
