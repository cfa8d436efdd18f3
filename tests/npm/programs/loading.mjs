/** The ways to load the engine: with `load`, with a compiled module, and where it cannot be compiled. */

import assert from "node:assert";

import { runInNewContext } from "node:vm";

import { engineBytes, load, parse } from "canfetch";

const compiled = new WebAssembly.Module(engineBytes());

// A page with a Content-Security-Policy, or a Cloudflare Worker.
const { Module, compile } = WebAssembly;
class Forbidden extends Module {
  constructor() {
    throw new WebAssembly.CompileError("Wasm code generation disallowed by embedder");
  }
}
// Modules remain instances.
Object.defineProperty(Forbidden, Symbol.hasInstance, { value: (value) => value instanceof Module });
Object.assign(WebAssembly, {
  Module: Forbidden,
  compile: async () => new Forbidden(),
});
assert.throws(() => parse(""), { name: "Error", code: "engine-not-loaded", message: /^cannot load the engine synchronously here / });
assert.throws(() => parse(""), /disallowed by embedder.*await load\(\).*wasm-unsafe-eval.*await load\(module\)/);
await assert.rejects(load(), /^Error: cannot load the engine here .*disallowed by embedder.*: a page .*await load\(module\)/);
await assert.rejects(load({}), { name: "TypeError", code: "invalid-module" });
await assert.rejects(load("engine.wasm"), { name: "TypeError", code: "invalid-module", message: /'engine.wasm'/ });
const other = new Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
await assert.rejects(load(other), { name: "TypeError", code: "invalid-module" });

await Promise.all([load(compiled), load(compiled)]);
assert.equal(parse("User-agent: *\nDisallow: /").allows("/", "ExampleBot"), false);
await load();
// The argument is also checked when the engine is loaded. A module of another realm is not an instance of this one's.
await assert.rejects(load(other), { name: "TypeError", code: "invalid-module" });
await assert.rejects(load({}), { name: "TypeError", code: "invalid-module" });
await load(runInNewContext("new WebAssembly.Module(bytes)", { bytes: engineBytes() }));
Object.assign(WebAssembly, { Module, compile });

// Without zlib, as in browsers.
process.getBuiltinModule = undefined;
assert.deepEqual(WebAssembly.Module.exports(new Module(engineBytes())), WebAssembly.Module.exports(compiled));
console.log("loaded");
