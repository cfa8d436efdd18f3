/** The heading above a crawler's column, as in Access. */

import type { App } from "../../app.js";
import type { PurposeGroup } from "../../crawlers.js";
import type { TextKey } from "../../texts.js";

const GROUP_TEXTS = {
  search: "purpose_search",
  training: "purpose_training",
  answers: "purpose_answers",
  other: "purpose_other",
} as const satisfies Record<PurposeGroup, TextKey>;

export function crawlerGroup({ texts, verdicts }: App, crawler: string): string {
  return texts.t(GROUP_TEXTS[verdicts.results.state.registry.groupOf(crawler)]);
}
