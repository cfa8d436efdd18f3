import type { ViewsCatalogue } from "./en.js";
import { viewsEn } from "./en.js";

export const viewsEs: ViewsCatalogue = {
  ...viewsEn,
};
