/** The WebAssembly module, which `build.mjs` puts here. At the beginning of the script, it compresses best. */

/** The module, compressed with DEFLATE, in Base64, and its size in bytes. */
declare const ENGINE: string;
declare const ENGINE_SIZE: number;

export const engine = ENGINE;
export const engineSize = ENGINE_SIZE;
