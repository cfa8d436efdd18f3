import type { Catalogue } from "../texts.js";
import { en } from "./en.js";
import { viewsDe } from "./views/de.js";

export const de: Catalogue = {
  ...en,
  ...viewsDe,
  // --- the page ---
  page_title: "canfetch: robots.txt testen",
  views_label: "Ansichten",
  view_access: "Zugriff",
  view_usage: "Nutzung",
  view_rules: "Seitenregeln",
  view_compare: "Vergleich",
  language_label: "Sprache",
  theme_system: "Farben: wie das System",
  theme_light: "Farben: hell",
  theme_dark: "Farben: dunkel",
  link_button: "Link kopieren",
  link_copied: "Link kopiert. Er enthält die Datei; nichts wurde gesendet.",
  close_button: "Schließen",
  cancel_button: "Abbrechen",
  view_failed: "Diese Ansicht konnte nicht geladen werden. Lade die Seite neu, um es noch einmal zu versuchen.",
};
