/** The package in a thread. */

import { isMainThread, Worker } from "node:worker_threads";

if (isMainThread) {
  const workers = [0, 1].map(() => new Worker(new URL(import.meta.url)));
  for (const worker of workers) worker.on("error", (error) => { throw error; });
} else {
  await import("./module.mjs");
}
