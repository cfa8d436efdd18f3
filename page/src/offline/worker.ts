/** The worker of the linter: loads Pyodide and canfetch from this site, and answers the requests of the page in order. */

import type { FromWorker, ToWorker } from "./messages.js";

/** What the worker uses of Pyodide. Its own types need those of Node.js. */
interface Pyodide {
  readonly FS: { writeFile(path: string, content: Uint8Array): void };
  runPython(code: string): unknown;
}
interface PyodideModule {
  loadPyodide(options: Record<string, unknown>): Promise<Pyodide>;
}

// `lib` has the types of pages only.
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
  fetch: typeof fetch;
};

const WASM = "pyodide.asm.wasm";
const STANDARD_LIBRARY = "python_stdlib.zip";
const LIBRARY = "canfetch.zip";
const LOCK = "pyodide-lock.json";
const PROGRESS_MS = 200;
const download = scope.fetch.bind(self);

let answer: ((path: string, body: string) => string) | null = null;

scope.onmessage = ({ data }) => {
  if ("folder" in data) {
    start(data.folder).then(
      () => scope.postMessage({ kind: "ready" }),
      (error: unknown) => scope.postMessage({ kind: "failed", reason: error instanceof Error ? error.message : String(error) }),
    );
  } else if (answer !== null) {
    scope.postMessage({ kind: "answer", id: data.id, json: answer(data.path, data.body) });
  }
};

async function start(folder: string): Promise<void> {
  const report = progress();
  const [wasm, standardLibrary, library, lock] = await Promise.all([
    load(folder, `${WASM}.gz`, report, unpacked),
    load(folder, STANDARD_LIBRARY, report),
    load(folder, LIBRARY, report),
    load(folder, LOCK, report),
  ]);
  scope.postMessage({ kind: "starting" });
  const files = new Map([
    [WASM, new Response(wasm, { headers: { "content-type": "application/wasm" } })],
    [STANDARD_LIBRARY, new Response(standardLibrary)],
  ]);
  // Pyodide receives what was loaded, and cannot load anything else.
  scope.fetch = async (input) => {
    const file = files.get(String(input).split("/").at(-1) ?? "");
    if (!file) throw new TypeError(`not part of the linter: ${String(input)}`);
    return file;
  };
  const { loadPyodide } = (await import(`${folder}pyodide.mjs`)) as PyodideModule;
  const python = await loadPyodide({
    indexURL: folder,
    packageBaseUrl: folder,
    lockFileContents: new TextDecoder().decode(lock),
  });
  python.FS.writeFile(`/${LIBRARY}`, library);
  answer = python.runPython(`
import sys
sys.path.insert(0, "/${LIBRARY}")
from canfetch.web.site.browser_answers import answer
answer
`) as typeof answer;
}

/** Return a function that counts loaded bytes, and reports them a few times a second. */
function progress(): (bytes: number) => void {
  let loaded = 0;
  let reported = 0;
  return (bytes) => {
    loaded += bytes;
    const now = performance.now();
    if (now - reported < PROGRESS_MS) return;
    reported = now;
    scope.postMessage({ kind: "progress", loaded });
  };
}

/** Load a file. An error names it: the browser's own says only that something failed. */
async function load(
  folder: string,
  name: string,
  report: (bytes: number) => void,
  unpack: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>> = async (bytes) => bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await unpack(await bytesOf(await download(folder + name), report));
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function bytesOf(response: Response, report: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        report(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Uint8Array(await new Response(counted).arrayBuffer());
}

/** Unpack gzip, unless the browser did: some servers declare files with this suffix as encoded. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
