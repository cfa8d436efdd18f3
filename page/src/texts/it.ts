import type { Catalogue } from "../texts.js";
import { en } from "./en.js";
import { viewsIt } from "./views/it.js";

export const it: Catalogue = {
  ...en,
  ...viewsIt,
  // --- the page ---
  page_title: "canfetch: provare un robots.txt",
  views_label: "Viste",
  view_access: "Accesso",
  view_usage: "Uso",
  view_rules: "Regole di pagina",
  view_compare: "Confronto",
  language_label: "Lingua",
  theme_system: "Tema: come il sistema",
  theme_light: "Tema: chiaro",
  theme_dark: "Tema: scuro",
  link_button: "Copia link",
  link_copied: "Link copiato. Contiene il file; non è stato inviato nulla.",
  close_button: "Chiudi",
  cancel_button: "Annulla",
  view_failed: "Impossibile caricare questa vista. Ricarica la pagina per riprovare.",
};
