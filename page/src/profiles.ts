/** The profiles that the page offers, and those that count as differences. */

import type { TextKey, Texts } from "./texts.js";

/** The readings of crawlers in use today. */
export const TODAY = ["rfc9309", "google", "googlebot", "bing", "yandex"] as const;
/** Readings that no crawler of today has. They only count if the user chooses so. */
export const HISTORIC = ["strict", "google2019", "draft1996", "original1994"] as const;
/** Readings in which a blank line ends a group. */
export const BLANK_ENDS_GROUP: readonly string[] = ["yandex", "draft1996", "original1994"];

type EditionKind = "edition_standard" | "edition_crawlers" | "edition_earlier";

/** The profiles by the kind of document or program that they follow. */
export const EDITIONS: readonly { readonly label: EditionKind; readonly profiles: readonly string[] }[] = [
  { label: "edition_standard", profiles: ["rfc9309", "strict"] },
  { label: "edition_crawlers", profiles: ["google", "googlebot", "bing", "yandex"] },
  { label: "edition_earlier", profiles: ["google2019", "draft1996", "original1994"] },
];

const TEXTS: Readonly<Record<string, TextKey>> = {
  rfc9309: "profile_rfc9309",
  strict: "profile_strict",
  google2019: "profile_google2019",
  google: "profile_google",
  googlebot: "profile_googlebot",
  bing: "profile_bing",
  yandex: "profile_yandex",
  draft1996: "profile_draft1996",
  original1994: "profile_original1994",
};

export function profileName(profile: string, texts: Texts): string {
  const key = TEXTS[profile];
  return key ? texts.t(key) : profile;
}

/** The edition by which the server reads status codes and caches the file. Without one, its own access policy applies. */
export function edition(profile: string): { edition?: string } {
  return profile === TODAY[0] ? {} : { edition: profile };
}

/** Return the readings that count as differences. */
export function countedProfiles(historic: boolean): readonly string[] {
  return historic ? [...TODAY, ...HISTORIC] : TODAY;
}
