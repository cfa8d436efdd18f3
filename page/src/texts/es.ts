import type { Catalogue } from "../texts.js";
import { en } from "./en.js";
import { viewsEs } from "./views/es.js";

export const es: Catalogue = {
  ...en,
  ...viewsEs,
  // --- the page ---
  page_title: "canfetch: probar un robots.txt",
  views_label: "Vistas",
  view_access: "Acceso",
  view_usage: "Uso",
  view_rules: "Reglas de página",
  view_compare: "Comparar",
  language_label: "Idioma",
  theme_system: "Tema: el del sistema",
  theme_light: "Tema: claro",
  theme_dark: "Tema: oscuro",
  link_button: "Copiar enlace",
  link_copied: "Enlace copiado. Contiene el archivo; no se ha enviado nada.",
  close_button: "Cerrar",
  cancel_button: "Cancelar",
  view_failed: "No se pudo cargar esta vista. Recarga la página para volver a intentarlo.",
};
