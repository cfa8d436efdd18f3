/** Starts the engine of the page. */

import { Engine } from "./engine/engine.js";
import { siteAddress } from "./site.js";
import { scriptUrl } from "./trusted-types.js";

export async function startEngine(): Promise<Engine> {
  const workerURL = scriptUrl(siteAddress("engine-worker"));
  return Engine.start({
    moduleURL: siteAddress("engine"),
    newWorker: () => new Worker(workerURL as string, { name: "canfetch engine" }),
  });
}
