/** Agents, and the product tokens of User-Agent headers, as in `canfetch/core/agent.py` and `tokens.py`. */

import type { Agent } from "../types/index.js";
import { requireOptions, shown, typeError } from "./problems.js";

/** The crawlers to which the `*` groups do not apply, as their operators document. */
const STAR_IGNORERS: ReadonlySet<string> = new Set(
  (
    "adsbot-google adsbot-google-mobile adsbot-google-mobile-apps apis-google duplexweb-google google-safety " +
    "googleweblight mediapartners-google yadirectfetcher yandexcalendar yandexdirect yandexmobilebot"
  ).split(" "),
);

/** The products of browsers, which crawlers list in their headers before their own. */
const BROWSER_PRODUCTS: ReadonlySet<string> = new Set(
  (
    "applewebkit chrome chromium crios edg edga edge edgios firefox fxios gecko headlesschrome khtml like mobile mozilla " +
    "msie opera opr presto safari samsungbrowser trident version"
  ).split(" "),
);

const OPTIONS: readonly string[] = ["tokens", "starApplies"];

/** Return an agent with all of its fields. Its tokens are validated by the engine. */
export function agentChain(agent: unknown): { tokens: readonly string[]; starApplies: boolean } {
  if (typeof agent === "string") return { tokens: [agent], starApplies: starApplies(agent) };
  if (typeof agent !== "object" || agent === null || !("tokens" in agent)) {
    throw typeError(
      "invalid-agent",
      `invalid agent ${shown(agent)}: expected a product token such as 'ExampleBot', or { tokens: [...] }`,
    );
  }
  requireOptions(agent, OPTIONS);
  const { tokens, starApplies: applies } = agent as Agent;
  const list: unknown = typeof tokens === "string" ? [tokens] : tokens;
  if (!Array.isArray(list) || list.length === 0) {
    const value = Array.isArray(list) ? "[]" : shown(tokens);
    throw typeError("invalid-agent", `invalid tokens ${value}: expected one or more product tokens`);
  }
  const wrong = list.findIndex((token) => typeof token !== "string");
  if (wrong >= 0) throw typeError("invalid-agent", `invalid tokens[${wrong}] ${shown(list[wrong])}: expected a string`);
  if (applies !== undefined && typeof applies !== "boolean") {
    throw typeError("invalid-agent", `invalid starApplies ${shown(applies)}: expected true or false`);
  }
  const chain = list.slice() as string[];
  return { tokens: chain, starApplies: applies ?? starApplies(chain[0] as string) };
}

function starApplies(token: string): boolean {
  return !STAR_IGNORERS.has(lowerCase(token));
}

/** Return a token in lower case. Only letters of ASCII have cases in tokens. */
export function lowerCase(token: string): string {
  return token.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Return the error for an agent that the engine rejects. */
export function invalidToken(tokens: readonly string[]): TypeError {
  for (const token of tokens) {
    if (token === "") {
      return typeError("invalid-product-token", "invalid product token '': expected a name such as 'ExampleBot', or '*'");
    }
    const [character] = /[\0- /\x7f]/.exec(token) ?? [];
    if (character !== undefined) {
      return typeError(
        "invalid-product-token",
        `invalid product token ${shown(token)}: must not contain ${shown(character)}; ` +
          "use productToken() to extract it from a User-Agent header",
      );
    }
  }
  return typeError("invalid-product-token", `invalid product tokens: expected names such as 'ExampleBot'`);
}

/** See `types/index.d.ts`. */
export function productToken(userAgent: string): string {
  if (typeof userAgent !== "string") {
    throw typeError("invalid-agent", `invalid User-Agent header ${shown(userAgent)}: expected a string`);
  }
  const [outside, comments] = productsAndComments(userAgent);
  const words = outside.replaceAll(";", " ").split(/\s+/);
  const names = words.map(productName).filter((name) => name !== "");
  const parts = comments.map((comment) => comment.split(";").map((part) => part.trim()));
  const candidates = [names[0] ?? "", ...afterCompatible(parts), ...withAddress(parts), ...names.reverse()];
  const found = candidates.find((name) => name !== "" && !BROWSER_PRODUCTS.has(name.toLowerCase()));
  if (found !== undefined) return found;
  throw typeError(
    "invalid-product-token",
    `no product token in the User-Agent header ${shown(userAgent)}: expected one such as 'ExampleBot/1.0'`,
  );
}

function productsAndComments(userAgent: string): [outside: string, comments: string[]] {
  let outside = "";
  const comments: string[] = [];
  let depth = 0;
  const add = (text: string): void => {
    if (depth > 0) comments.push(`${comments.pop()}${text}`);
    else outside += text;
  };
  for (const character of userAgent) {
    // A parenthesis separates words.
    if (character === "(") {
      depth++;
      if (depth === 1) comments.push("");
      add(" ");
    } else if (character === ")") {
      depth = Math.max(0, depth - 1);
      add(" ");
    } else add(character);
  }
  return [outside, comments];
}

function afterCompatible(comments: readonly string[][]): string[] {
  return comments.flatMap((parts) =>
    parts
      .filter((_, index) => index > 0 && (parts[index - 1] as string).toLowerCase().endsWith("compatible"))
      .map((part) => productName(part.split(" ", 1)[0] as string)),
  );
}

function withAddress(comments: readonly string[][]): string[] {
  return comments
    .filter((parts) => parts.some((part) => part.includes("://") || part.includes("@") || part.startsWith("+")))
    .flatMap((parts) => parts.filter((part) => part.includes("/") && !part.includes("://")).map(productName));
}

function productName(word: string): string {
  const name = (word.trim().split("/", 1)[0] as string).replace(/[*,;]+$/, "");
  return !word.includes("://") && /^[-_]*[\p{L}\p{N}][^\p{C}\p{Z}]*$/u.test(name) ? name : "";
}
