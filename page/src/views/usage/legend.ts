/** What the marks of the usage matrix mean. */

import { h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { mark } from "../parts/marks.js";

export function usageLegend(texts: Texts): HTMLElement {
  const item = (state: "blocked" | "allowed" | "none" | "unread", text: string): HTMLElement =>
    h("span", {}, mark(state), text);
  return h(
    "div",
    { class: "panel-foot legend" },
    item("blocked", texts.t("usage_legend_reserved")),
    item("allowed", texts.t("usage_legend_allowed")),
    item("none", texts.t("usage_legend_none")),
    item("unread", texts.t("usage_state_unread")),
    h("span", {}, h("span", { class: "legend-dot" }), texts.t("usage_legend_purpose")),
  );
}
