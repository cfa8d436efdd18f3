/** Checked by `npm run translations`, which names the texts that a language does not have. The page shows these in English. */

import { de as exportDe } from "./src/export/texts/de.js";
import type { ExportTextKey } from "./src/export/texts/en.js";
import { es as exportEs } from "./src/export/texts/es.js";
import { it as exportIt } from "./src/export/texts/it.js";
import { ja as exportJa } from "./src/export/texts/ja.js";
import { ko as exportKo } from "./src/export/texts/ko.js";
import { de } from "./src/texts/de.js";
import type { TextKey } from "./src/texts/en.js";
import { es } from "./src/texts/es.js";
import { it } from "./src/texts/it.js";
import { ja } from "./src/texts/ja.js";
import { ko } from "./src/texts/ko.js";

export const translated: readonly { readonly [key in TextKey | ExportTextKey]: unknown }[] = [
  { ...exportDe, ...de },
  { ...exportEs, ...es },
  { ...exportIt, ...it },
  { ...exportJa, ...ja },
  { ...exportKo, ...ko },
];
