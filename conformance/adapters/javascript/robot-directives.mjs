// robot-directives, which reads headers and the values of meta elements. cheerio finds the elements.

import { load } from "cheerio";
import RobotDirectives from "robot-directives";
import { answerQuestions } from "./questions.mjs";

// What forbids each decision.
const FORBIDDEN_BY = {
  may_index: RobotDirectives.NOINDEX,
  may_follow: RobotDirectives.NOFOLLOW,
  may_archive: RobotDirectives.NOARCHIVE,
  may_snippet: RobotDirectives.NOSNIPPET,
  may_translate: RobotDirectives.NOTRANSLATE,
  may_index_images: RobotDirectives.NOIMAGEINDEX,
};

await answerQuestions(({ agent, page }) => {
  const robots = new RobotDirectives({ userAgent: agent, currentTime: () => Date.parse(page.now) });
  for (const line of page.headers) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() === "x-robots-tag") robots.header(line.slice(colon + 1).trim());
  }
  const $ = load(page.html === null ? "" : Buffer.from(page.html, "base64"));
  $("meta[name][content]").each((_, element) => robots.meta($(element).attr("name"), $(element).attr("content")));
  return !robots.is(FORBIDDEN_BY[page.decision]);
});
