/** The registry of crawlers, and the columns of the matrix. */

import type { CrawlerObject as CompleteCrawlerObject } from "./api-types.js";
import type { Texts, TextKey } from "./texts.js";

/** An entry of the registry, as the build of the page writes it. */
export type CrawlerObject = Omit<
  CompleteCrawlerObject,
  "schema" | "headers" | "product_names" | "app_names" | "honours" | "checked" | "verification"
> & {
  /** Where the operator publishes its addresses. */
  readonly address_list?: string;
};

/** The headings above the columns, in order. */
export const GROUPS = ["search", "training", "answers", "other"] as const;
export type PurposeGroup = (typeof GROUPS)[number];

/** The column of crawlers that the file does not name. */
export const STAR = "*";

/** The columns for a file of one's own, beside the crawlers that it names. */
export const MAIN_CRAWLERS = ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot"] as const;

/** The first of these purposes that a crawler has decides its heading. */
const GROUP_OF: readonly (readonly [CrawlerObject["purposes"][number], PurposeGroup])[] = [
  ["training", "training"],
  ["answers", "answers"],
  ["user-triggered", "answers"],
  ["search-index", "search"],
];

const PURPOSE_TEXTS: Readonly<Record<CrawlerObject["purposes"][number], TextKey>> = {
  ads: "purpose_ads",
  answers: "purpose_ai_answers",
  archive: "purpose_archive",
  feeds: "purpose_feeds",
  notifications: "purpose_notifications",
  preview: "purpose_preview",
  research: "purpose_research",
  safety: "purpose_safety",
  "search-index": "purpose_search_index",
  seo: "purpose_seo",
  shopping: "purpose_shopping",
  "site-owner": "purpose_site_owner",
  testing: "purpose_testing",
  training: "purpose_ai_training",
  "user-triggered": "purpose_user_triggered",
};

/** A shorter token is too often one letter away from another. */
const MIN_MISSPELT_CHARACTERS = 5;

export class Registry {
  readonly #byName: ReadonlyMap<string, CrawlerObject>;
  /** The tokens that fetch nothing: they control how an operator uses what other crawlers fetched. */
  readonly controlTokens: readonly string[];

  constructor(readonly crawlers: readonly CrawlerObject[]) {
    this.#byName = new Map(crawlers.map((crawler) => [crawler.name.toLowerCase(), crawler]));
    // A rule for `Yandex` is one for the crawlers of Yandex that fetch.
    const read = new Set(crawlers.flatMap(({ token_only, tokens }) => (token_only ? [] : tokens)));
    this.controlTokens = crawlers.flatMap(({ token_only, name }) => (token_only && !read.has(name) ? [name] : []));
  }

  find(token: string): CrawlerObject | undefined {
    return this.#byName.get(token.toLowerCase());
  }

  /** Whether a token is that of a known crawler, or `*`. Files also name browsers and misspelt crawlers. */
  isListed(token: string): boolean {
    return token === STAR || this.find(token) !== undefined;
  }

  /** The token of a known crawler from which an unknown one differs by one typing error. */
  probable(token: string): string | undefined {
    if (token.length < MIN_MISSPELT_CHARACTERS || this.find(token)) return undefined;
    const name = token.toLowerCase();
    return this.crawlers.flatMap(({ tokens }) => tokens).find((known) => isOneEdit(name, known.toLowerCase()));
  }

  /** The name of a crawler for people: `Screaming` is the product token of Screaming Frog. */
  shownName(token: string): string {
    const operator = this.find(token)?.operator ?? "";
    return operator.startsWith(`${token} `) ? operator : token;
  }

  isControlToken(token: string): boolean {
    return this.controlTokens.includes(this.find(token)?.name ?? "");
  }

  groupOf(token: string): PurposeGroup {
    const purposes = this.find(token)?.purposes ?? [];
    return GROUP_OF.find(([purpose]) => purposes.includes(purpose))?.[1] ?? "other";
  }

  /** Order crawlers by the headings, so that each heading appears once. */
  sorted(tokens: readonly string[]): string[] {
    const rank = (token: string): number => GROUPS.indexOf(this.groupOf(token));
    return [...new Set(tokens)].sort((a, b) => rank(a) - rank(b));
  }

  /** Return the crawlers whose name, operator or purpose contains all words of a search. */
  search(query: string, texts: Texts): CrawlerObject[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.crawlers.filter((crawler) => {
      const text = [crawler.name, crawler.operator, ...crawler.purposes, purposeTexts(crawler, texts)]
        .join(" ")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}

/** Return the purposes of a crawler in the language of the page. */
export function purposeTexts(crawler: CrawlerObject, texts: Texts): string {
  return crawler.purposes.map((purpose) => texts.t(PURPOSE_TEXTS[purpose])).join(", ");
}

/** Whether a text is a product token that a user-agent line can name, as `canfetch.agents.requested` decides. */
export function isProductToken(text: string): boolean {
  return text === "*" || /^[^\s\u0000-\u0020\u007f/,*#]{1,100}$/u.test(text);
}

/** Whether one inserted, deleted, replaced or swapped character makes the texts equal. */
function isOneEdit(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  const room = Math.min(left.length, right.length) - start;
  while (end < room && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  return Math.max(a.length, b.length) === 1 || (a.length === 2 && a[0] === b[1] && a[1] === b[0]);
}
