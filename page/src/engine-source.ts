/** Starts the engine of the page. */

import { Engine, type VerdictEngine } from "./engine/engine.js";
import { ServerEngine } from "./engine/server-engine.js";
import { countedProfiles } from "./profiles.js";
import { Server } from "./server.js";
import { siteAddress } from "./site.js";
import { scriptUrl } from "./trusted-types.js";

export async function startEngine(): Promise<Engine> {
  const workerURL = scriptUrl(siteAddress("engine-worker"));
  return Engine.start({
    moduleURL: siteAddress("engine"),
    newWorker: () => new Worker(workerURL as string, { name: "canfetch engine" }),
  });
}

/** Start the engine in the browser, or use that of the server if the page was built without one. */
export async function startVerdictEngine(): Promise<VerdictEngine> {
  const api = siteAddress("api");
  if (siteAddress("engine") === "" && api !== "") return new ServerEngine(new Server(api), countedProfiles(true));
  return startEngine();
}
