/** The package as an ES module. */

import * as canfetch from "canfetch";
import robotsParser from "canfetch/robots-parser";

import { use } from "./usage.mjs";

console.log(use(canfetch, robotsParser));
await canfetch.load();
