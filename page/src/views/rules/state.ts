/** What the Page rules view remembers while others are shown. */

import type { Use } from "./answer.js";

export interface RulesViewState {
  readonly mode: "paste" | "fetch";
  /** The URL of the pasted page, which connects it with robots.txt. */
  readonly url: string;
  readonly headers: string;
  readonly html: string;
  /** The address of the page to fetch. */
  readonly address: string;
  readonly crawler: string | null;
  readonly use: Use | "fetch";
}

/** A page that the example file blocks for some crawlers, so that they never see its rules. */
export const INITIAL_RULES: RulesViewState = {
  mode: "paste",
  url: "https://www.example.com/blog/drafts/next",
  headers: `HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8
X-Robots-Tag: noarchive
X-Robots-Tag: adsbot-google: nofollow
X-Robots-Tag: unavailable_after: 2027-03-31
`,
  html: `<!doctype html>
<html lang="en">
  <head>
    <title>Draft</title>
    <meta name="robots" content="noindex, max-snippet:80">
    <meta name="CCBot" content="noai">
  </head>
  <body></body>
</html>
`,
  address: "",
  crawler: "Googlebot",
  use: "may_index",
};

/** Without the page of the example. */
export const EMPTY_RULES: RulesViewState = { ...INITIAL_RULES, url: "", headers: "", html: "" };
