/** The addresses that the build writes into the page. */

import type { CrawlerObject } from "./crawlers.js";

/** The HTTP API is relative to the page, and empty in a static site. */
export type SiteAddress = "api" | "crawlers" | "engine" | "engine-worker" | "licences" | "linter" | "linter-bytes" | "linter-worker";

export function siteAddress(name: SiteAddress): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="canfetch-${name}"]`)?.content ?? "";
}

/** Load the registry. */
export async function loadCrawlers(): Promise<readonly CrawlerObject[]> {
  const address = siteAddress("crawlers");
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  return (await response.json()) as CrawlerObject[];
}
