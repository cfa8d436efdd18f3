/** The types of a CommonJS program. */

import canfetch = require("canfetch");
import robotsParser = require("canfetch/robots-parser");

const robots: canfetch.RobotsTxt = canfetch.parse("");
const moved: robotsParser.Robots = robotsParser.default("https://example.com/robots.txt", "");
const delay: number | undefined = robotsParser("https://example.com/robots.txt").getCrawlDelay();
export = { robots, moved, delay };
