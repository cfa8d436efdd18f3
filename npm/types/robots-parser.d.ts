/** A robots.txt: its bytes, which may be UTF-16, or its text. */
export type Content = string | ArrayBufferView | ArrayBufferLike;

export interface Robots {
  /** Whether `ua` may fetch `url`. Undefined if this robots.txt does not govern the URL. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** The opposite of `isAllowed`: true if this robots.txt does not govern the URL. */
  isDisallowed(url: string, ua?: string): boolean;
  /** As `isDisallowed`, without the groups for `*`. Undefined if this robots.txt does not govern the URL. */
  isExplicitlyDisallowed(url: string, ua?: string): boolean | undefined;
  /** The line of the deciding rule, from 1, or -1 if there is none. */
  getMatchingLineNumber(url: string, ua?: string): number;
  /** The last valid Crawl-delay of the groups of `ua`, in seconds. */
  getCrawlDelay(ua?: string): number | undefined;
  /** The values of all sitemap records. */
  getSitemaps(): string[];
  /** The value of the last Host record, in lower case. */
  getPreferredHost(): string | null;
}

export default function robotsParser(url: string, contents?: Content | null): Robots;
