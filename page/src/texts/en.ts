import type { Message } from "../texts.js";

/** English, the language that the others translate. A name ends in what the text is: button, label, title. */
export const en = {
  // --- the page ---
  page_title: "canfetch: test a robots.txt",
  views_label: "Views",
  view_access: "Access",
  view_usage: "Usage",
  view_rules: "Page rules",
  view_compare: "Compare",
  language_label: "Language",
  theme_system: "Theme: as the system",
  theme_light: "Theme: light",
  theme_dark: "Theme: dark",
  link_button: "Copy link",
  link_copied: "Link copied. It holds the file; nothing was sent.",
  close_button: "Close",
  cancel_button: "Cancel",
  view_failed: "This view could not be loaded. Reload the page to try again.",
} as const satisfies Record<string, Message>;
