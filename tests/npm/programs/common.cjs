/** The package as a CommonJS module. It shares its engine with the ES module. */

const canfetch = require("canfetch");
const robotsParser = require("canfetch/robots-parser");

if (robotsParser.default !== robotsParser) throw new Error("no default export");
Promise.all([import("./usage.mjs"), import("canfetch"), import("canfetch/robots-parser")]).then(([{ use }, ...modules]) => {
  if (modules[0].parse !== canfetch.parse || modules[1].default !== robotsParser) throw new Error("loaded twice");
  console.log(use(canfetch, robotsParser));
});
