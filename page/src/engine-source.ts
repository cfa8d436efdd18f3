/** Starts the engine of the page. */

import { Engine } from "./engine/engine.js";
import { scriptUrl } from "./trusted-types.js";

export async function startEngine(): Promise<Engine> {
  const workerURL = scriptUrl(address("canfetch-engine-worker"));
  return Engine.start({
    moduleURL: address("canfetch-engine"),
    newWorker: () => new Worker(workerURL as string, { name: "canfetch engine" }),
  });
}

function address(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
