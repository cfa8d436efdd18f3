/** The statements of a file on the use of its content, and who reads them. */

import type { CrawlerUsesObject, ExtensionObject, UseTableObject } from "../../api-types.js";
import { type Child, h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import { lineButton } from "../parts/line-button.js";
import { honouredRecords, isReadable, recordName } from "./answer.js";
import { type Recipe, RECIPES } from "./recipes.js";

/** The statements of the file, each with the number of crawlers that read it. */
export function recordList(texts: Texts, { records, crawlers }: UseTableObject, goTo: (line: number) => void): Child {
  if (records.length === 0) return null;
  // A group line that does not apply to a crawler is listed for it, without a preference.
  const readers = ({ line, scope }: ExtensionObject): number =>
    crawlers.filter(({ uses }) =>
      Object.values(uses).some(({ statements }) =>
        statements.some((statement) => statement.line === line && (scope !== "group" || statement.preference !== "unknown")),
      ),
    ).length;
  return h(
    "section",
    { class: "records" },
    h("h3", {}, texts.t("usage_records")),
    h(
      "ul",
      { class: "statements" },
      records.map((record) => {
        const { line, name, value } = record;
        const isRead = isReadable(record);
        const readBy = texts.t("usage_read_by", { count: readers(record), total: crawlers.length });
        return h(
          "li",
          { class: "statement" },
          lineButton(texts, line, goTo),
          h("code", {}, `${recordName(name)}: ${value}`),
          h("span", { class: isRead ? "soft" : "blocked-text" }, isRead ? readBy : texts.t("usage_unreadable")),
        );
      }),
    ),
  );
}

/** How many crawlers say that they honour a record of preferences, and which. */
export function honoursSummary(texts: Texts, crawlers: readonly CrawlerUsesObject[]): string {
  const names = crawlers.filter((one) => honouredRecords(one).length > 0).map(({ agent_name: name }) => name);
  return names.length === 0
    ? texts.t("usage_nobody_honours")
    : texts.t("usage_some_honour", { count: names.length, crawlers: texts.list(names) });
}

/** What is shown for a file without statements: buttons that add one. */
export function emptyFile(texts: Texts, hasReserved: boolean, add: (recipe: Recipe) => void): HTMLElement {
  return h(
    "div",
    { class: "empty-state statement-recipes", "data-state": "empty" },
    h("p", {}, texts.t(hasReserved ? "usage_empty_tokens" : "usage_empty")),
    h(
      "div",
      { class: "recipe-buttons", role: "group", "aria-label": texts.t("usage_recipes") },
      (Object.keys(RECIPES) as Recipe[]).map((recipe) =>
        h(
          "button",
          { type: "button", class: "button", title: RECIPES[recipe], "data-recipe": recipe, on: { click: () => add(recipe) } },
          texts.t(`usage_recipe_${recipe}`),
        ),
      ),
    ),
  );
}
