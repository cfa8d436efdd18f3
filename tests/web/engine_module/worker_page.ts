/** What the tests of the worker need of the page. */

import { Engine } from "../../../page/src/engine/engine.js";
import { scriptUrl } from "../../../page/src/trusted-types.js";

Object.assign(globalThis, { Engine, newWorker: (url: string) => new Worker(scriptUrl(url) as string) });
document.documentElement.dataset["ready"] = "";
