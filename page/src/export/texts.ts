/** The texts of exports and of the report, loaded with them: the first visit does not need them. */

import { type Language, Texts } from "../texts.js";
import { en, type ExportCatalogue, type ExportTextKey } from "./texts/en.js";

export type ExportTexts = Texts<ExportTextKey>;

export async function loadExportTexts(language: Language): Promise<ExportTexts> {
  return new Texts<ExportTextKey>(language, { ...en, ...(await catalogue(language)) });
}

async function catalogue(language: Language): Promise<ExportCatalogue> {
  switch (language) {
    case "de":
      return (await import("./texts/de.js")).de;
    case "es":
      return (await import("./texts/es.js")).es;
    case "it":
      return (await import("./texts/it.js")).it;
    case "ja":
      return (await import("./texts/ja.js")).ja;
    case "ko":
      return (await import("./texts/ko.js")).ko;
    case "en":
      return en;
  }
}
