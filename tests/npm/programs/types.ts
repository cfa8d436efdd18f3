/** The types, as programs use them. It is compiled, but not run. */

import { allows, engineBytes, load, parse, productToken, version } from "canfetch";
import type { Agent, AgentRules, ParseOptions, Profile, Reason, RobotsTxt, Rule, Verdict } from "canfetch";
import robotsParser from "canfetch/robots-parser";
import type { Robots } from "canfetch/robots-parser";

const options: ParseOptions = { profile: "google", maxBytes: 600_000, url: new URL("https://example.com/robots.txt") };
const unset: ParseOptions = { profile: undefined, maxBytes: undefined, url: undefined };
const robots: RobotsTxt = parse(new Uint8Array(), options);
const agent: Agent = { tokens: ["Googlebot-Image", "Googlebot"] };
const byDefault: Agent = { tokens: "ExampleBot", starApplies: undefined };
const verdict: Verdict = robots.decide(new URL("https://example.com/"), agent);
const rule: Rule | null = verdict.rule;
const line: number | null = verdict.line;
const reason: Reason = verdict.reason;
const rules: AgentRules = robots.rulesFor("ExampleBot");
const allowed: boolean[] = ["/a", "/b"].map(rules.allows);
const once: boolean = allows("", "/", "ExampleBot");
const profile: Profile = "rfc9309";
const delay: number | null = robots.crawlDelay("ExampleBot");
const sitemaps: readonly string[] = robots.sitemaps;
const token: string = productToken("ExampleBot/1.0");
const module = new WebAssembly.Module(engineBytes());
const loaded: Promise<void> = load(module);
const text: string = version;
robots.dispose();
robots[Symbol.dispose]();
{
  using scoped = parse("");
  scoped.allows("/", "ExampleBot");
}

const moved: Robots = robotsParser("https://example.com/robots.txt", "User-agent: *");
robotsParser("https://example.com/robots.txt", new ArrayBuffer(0)).getSitemaps();
robotsParser("https://example.com/robots.txt", new DataView(new ArrayBuffer(0))).getSitemaps();
const { decide } = rules;
const another: Verdict = decide("/");
const answer: boolean | undefined = moved.isAllowed("https://example.com/", "ExampleBot");

// @ts-expect-error An unknown profile.
parse("", { profile: "gogle" });
// @ts-expect-error No agent.
robots.allows("/");
// @ts-expect-error Read only.
verdict.allowed = true;
// @ts-expect-error Not an agent.
robots.decide("/", ["ExampleBot"]);
// @ts-expect-error Not text.
robotsParser("https://example.com/robots.txt", 5);

export { another, answer, allowed, byDefault, delay, line, loaded, once, profile, reason, rule, sitemaps, text, token, unset };
