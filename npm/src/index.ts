/**
 * The whole package: one script that `import`, `require` and browsers load.
 *
 * Neither `export` nor `module.exports` is possible in such a script, so it passes its values on under a global symbol.
 * The modules that `build.mjs` writes export them. ES modules and CommonJS modules share one engine this way.
 */

// The first import, so that the data of the engine begin the script: the archive is 700 bytes smaller.
import { engineBytes } from "./payload.js";
import type * as types from "../types/index.js";
import type robotsParserType from "../types/robots-parser.js";
import { productToken } from "./agents.js";
import { load } from "./engine.js";
import { parse } from "./robots.js";
import { robotsParser } from "./robots-parser.js";

declare const VERSION: string;

function allows(
  content: types.Content,
  url: types.AnyURL,
  agent: string | types.Agent,
  options?: types.ParseOptions,
): boolean {
  const robots = parse(content, options);
  try {
    return robots.allows(url, agent);
  } finally {
    robots.dispose();
  }
}

interface Package {
  readonly index: typeof types;
  readonly robotsParser: typeof robotsParserType;
}

const version: string = VERSION;
const index = { allows, engineBytes, load, parse, productToken, version };
const shared = globalThis as unknown as Record<symbol, Package>;
shared[Symbol.for(`canfetch ${VERSION}`)] ??= { index, robotsParser };
