/** What the browser keeps between visits: language, theme, and whether single keys work. Nothing of a file. */

import { THEMES, type State, type Theme } from "./state.js";
import { isLanguage, preferredLanguage } from "./texts.js";

const KEY = "canfetch";

export type Preferences = Pick<State, "language" | "theme" | "singleKeys">;

export function loadPreferences(): Preferences {
  const stored = read();
  return {
    language: isLanguage(stored.language) ? stored.language : preferredLanguage(navigator.languages),
    theme: THEMES.includes(stored.theme as Theme) ? (stored.theme as Theme) : "system",
    singleKeys: stored.singleKeys !== false,
  };
}

export function savePreferences({ language, theme, singleKeys }: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ language, theme, singleKeys }));
  } catch {
    // Storage is off or full: the choice then lasts until the page is closed.
  }
}

function read(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
