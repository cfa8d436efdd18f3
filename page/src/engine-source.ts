/** Starts the engine of the page. */

import { Engine, type VerdictEngine } from "./engine/engine.js";
import { countedProfiles } from "./profiles.js";
import type { Server } from "./server.js";
import { siteAddress } from "./site.js";
import { scriptUrl } from "./trusted-types.js";

export function startEngine(): Engine {
  const workerURL = scriptUrl(siteAddress("engine-worker"));
  return new Engine({
    moduleURL: siteAddress("engine"),
    newWorker: () => new Worker(workerURL as string, { name: "canfetch engine" }),
    profiles: countedProfiles(true),
  });
}

/** Start the engine in the browser, or that of the server if the page was built without an engine. */
export async function startVerdictEngine(server: Server | null): Promise<VerdictEngine> {
  if (server === null || siteAddress("engine") !== "") return startEngine();
  const { ServerEngine } = await import("./engine/server-engine.js");
  return new ServerEngine(server, countedProfiles(true));
}
