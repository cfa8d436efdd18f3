/** Decompresses the WebAssembly module. */

import { engine, engineSize } from "./data.js";
import { inflate } from "./inflate.js";

interface Zlib {
  inflateRawSync(data: Uint8Array): Uint8Array<ArrayBuffer>;
}

/** Return the bytes of the WebAssembly module. */
export function engineBytes(): Uint8Array<ArrayBuffer> {
  const zlib = builtInZlib();
  // A copy, because that of Node.js is a Buffer.
  return zlib === undefined ? inflate(compressed(), engineSize) : new Uint8Array(zlib.inflateRawSync(compressed()));
}

/** Return the bytes of the WebAssembly module, decompressed without blocking if the runtime can do that. */
export async function engineBytesAsync(): Promise<Uint8Array<ArrayBuffer>> {
  if (builtInZlib() !== undefined || typeof DecompressionStream === "undefined") return engineBytes();
  const stream = new Blob([compressed()]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function compressed(): Uint8Array<ArrayBuffer> {
  const text = atob(engine);
  const data = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) data[at] = text.charCodeAt(at);
  return data;
}

/** Node.js, Deno and Bun have it. This is ten times as fast as JavaScript that runs for the first time. */
function builtInZlib(): Zlib | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => Zlib | undefined } };
  return process?.getBuiltinModule?.("node:zlib");
}
