/** The remarks beside lines of the editor: the group of the selected cell's crawler, and the rules that match. */

import type { App } from "../../app.js";
import { countedProfiles } from "../../profiles.js";
import type { Explained } from "../../verdict-model.js";
import type { LineRemark } from "./editor.js";
import { isFirstMatch } from "./answer.js";

export function lineRemarks(explained: Explained, differs: boolean, { texts, store }: App): LineRemark[] {
  const { explanation, crawler, readings, profile } = explained;
  const { rule, alsoMatched, group } = explanation;
  const remarks: LineRemark[] = group.lines.map((line, index) => ({
    line,
    kind: "group",
    text:
      group.choice === "star"
        ? texts.t("remark_star_group")
        : texts.t(index === 0 ? "remark_group" : "remark_group_again", { crawler: group.token ?? crawler }),
  }));
  for (const other of alsoMatched) {
    const key = isFirstMatch(profile)
      ? "remark_later"
      : other.specificity === rule?.specificity
        ? "remark_equal"
        : "remark_shorter";
    remarks.push({ line: other.line, kind: "matches", text: texts.t(key) });
  }
  if (rule) {
    const counted = countedProfiles(store.state.historic);
    const today = readings.filter((reading) => counted.includes(reading.profile));
    const count = today.filter(({ line }) => line === rule.line).length;
    remarks.push({
      line: rule.line,
      kind: rule.allow ? "allows" : "blocks",
      text: differs ? texts.t("remark_decides_in", { count, total: today.length }) : texts.t("remark_decides"),
    });
  }
  return remarks;
}
