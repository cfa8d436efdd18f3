/** Starts the engine, and loads the registry of crawlers. */

import type { Crawler } from "./crawlers.js";
import { Engine } from "./engine/engine.js";
import { scriptUrl } from "./trusted-types.js";

export async function startEngine(): Promise<Engine> {
  const workerURL = scriptUrl(address("canfetch-engine-worker"));
  return Engine.start({
    moduleURL: address("canfetch-engine"),
    newWorker: () => new Worker(workerURL as string, { name: "canfetch engine" }),
  });
}

export async function loadCrawlers(): Promise<readonly Crawler[]> {
  const response = await fetch(address("canfetch-crawlers"));
  if (!response.ok) throw new Error(`crawlers: status ${response.status}`);
  return ((await response.json()) as { crawlers: Crawler[] }).crawlers;
}

function address(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
