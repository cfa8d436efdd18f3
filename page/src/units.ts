/** Sizes and durations in words. */

import type { Texts } from "./texts.js";

export function formatBytes(bytes: number, texts: Pick<Texts, "number">): string {
  if (bytes < 1000) return `${texts.number(bytes)} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${texts.number(Math.round(value * 10) / 10)} ${unit}`;
}

const UNITS = [
  [86_400, "days"],
  [3600, "hours"],
  [60, "minutes"],
  [1, "seconds"],
] as const;

/** Return a duration in its largest unit of which there are at least two; a day is 24 hours. */
export function formatSeconds(seconds: number, texts: Texts): string {
  const [size, key] = UNITS.find(([unit]) => seconds >= 1.9 * unit) ?? [1, "seconds"];
  return texts.t(key, { count: Math.round(seconds / size) });
}
