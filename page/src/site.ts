/** What the page knows about its server, and the registry: two files that a static site contains as well. */

import type { Crawler } from "./crawlers.js";

/** The parts of `data/site.json` that the page uses. */
export interface Site {
  readonly version: string;
  /** Whether there is an HTTP API. A static site has none. */
  readonly api: boolean;
  /** Whether the WebAssembly module is there. */
  readonly engine: boolean;
  readonly token_required: boolean;
}

/** A page without its data still decides about texts, so a failure is not an error. */
const NO_SITE: Site = { version: "", api: false, engine: true, token_required: false };

export async function loadSite(): Promise<Site> {
  try {
    return await load<Site>("data/site.json");
  } catch {
    return NO_SITE;
  }
}

export async function loadCrawlers(): Promise<readonly Crawler[]> {
  return (await load<{ crawlers: Crawler[] }>("data/agents.json")).crawlers;
}

async function load<T>(name: string): Promise<T> {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return (await response.json()) as T;
}
