/** What a fetched page loads: scripts, styles, images and frames, and which crawlers may fetch them. */

import type { ResourceObject, ResourcesObject } from "../../api-types.js";
import type { App } from "../../app.js";
import { type Child, fill, h, wrappable } from "../../dom.js";
import { mark } from "../parts/marks.js";

const HEADINGS = ["resources_url", "resources_type", "resources_blocked_for"] as const;

export class ResourceList {
  readonly element: HTMLElement;
  readonly #app: App;
  readonly #summary = h("p", { "data-result": "resources" });
  readonly #content = h("div", {});
  #resources: readonly ResourceObject[] = [];

  constructor(app: App) {
    this.#app = app;
    const title = app.texts.t("resources_title");
    this.element = h("section", { class: "resources", "aria-label": title }, h("h3", {}, title), this.#summary, this.#content);
  }

  /** List what a page loads, and for which crawlers it is blocked. Control tokens fetch nothing, so they do not count. */
  show({ url, resources: found, notes }: ResourcesObject): void {
    const { texts, verdicts } = this.#app;
    const { registry } = verdicts.results.state;
    const resources = found.map((resource) => ({
      ...resource,
      verdicts: resource.verdicts && Object.fromEntries(Object.entries(resource.verdicts).filter(([crawler]) => !registry.isControlToken(crawler))),
    }));
    this.#resources = resources;
    const blocked = resources.filter((resource) => !isForAll(resource));
    const isCut = notes.includes("too-many-resources") || notes.includes("html-truncated");
    fill(
      this.#content,
      resources.length === 0 ? null : this.#table([...blocked, ...resources.filter(isForAll)], new URL(url).origin),
      isCut ? h("p", { class: "soft small" }, texts.t("resources_cut", { count: resources.length })) : null,
      h("p", { class: "soft small" }, texts.t("resources_help")),
    );
  }

  /** Count the resources that are blocked for the chosen crawler, or for the first one if it fetches nothing. */
  choose(chosen: string): void {
    const { texts } = this.#app;
    const crawlers = Object.keys(this.#resources.find(({ verdicts }) => verdicts !== null)?.verdicts ?? {});
    const crawler = crawlers.includes(chosen) ? chosen : (crawlers[0] ?? chosen);
    const count = this.#resources.length;
    const blocked = this.#resources.filter(({ verdicts }) => verdicts?.[crawler]?.allowed === false).length;
    const summary = count === 0 ? texts.t("resources_none") : texts.t("resources_summary", { count, blocked, crawler });
    if (this.#summary.textContent === summary) return;
    this.#summary.textContent = summary;
    this.#app.announce(summary);
  }

  #table(resources: readonly ResourceObject[], own: string): HTMLElement {
    const { texts } = this.#app;
    return h(
      "table",
      { class: "resource-table" },
      h("thead", {}, h("tr", {}, HEADINGS.map((key) => h("th", { scope: "col" }, texts.t(key))))),
      h(
        "tbody",
        {},
        resources.map((resource) => {
          const { url, origin, kind } = resource;
          return h(
            "tr",
            { "data-kind": kind },
            h("th", { scope: "row", class: "mono", translate: "no", title: url }, wrappable(origin === own ? url.slice(own.length) : url)),
            h("td", {}, texts.t(`resources_kind_${kind}`)),
            h("td", {}, this.#verdict(resource)),
          );
        }),
      ),
    );
  }

  #verdict(resource: ResourceObject): Child {
    const { texts } = this.#app;
    if (resource.verdicts === null) {
      const text = resource.error === "too-many-origins" ? texts.t("resources_too_many_hosts") : resource.error;
      return h("span", { class: "soft" }, text);
    }
    const crawlers = new Map<string, string[]>();
    for (const [crawler, { allowed, line }] of Object.entries(resource.verdicts)) {
      if (allowed) continue;
      const reason = line === null ? texts.t("resources_unreachable") : texts.t("views_line", { line });
      crawlers.set(reason, [...(crawlers.get(reason) ?? []), crawler]);
    }
    const total = Object.keys(resource.verdicts).length;
    const namesText = (names: readonly string[]): string =>
      names.length === total && total > 1 ? texts.t("views_crawlers", { count: total }) : texts.list(names);
    if (crawlers.size === 0) return h("span", { class: "resource-verdict" }, mark("none"), texts.t("resources_nobody"));
    return [...crawlers].map(([reason, names]) =>
      h(
        "span",
        { class: "resource-verdict" },
        mark("blocked"),
        h("span", {}, h("span", { title: names.join(", ") }, namesText(names)), " ", h("span", { class: "soft" }, reason)),
      ),
    );
  }
}

function isForAll({ verdicts }: ResourceObject): boolean {
  return verdicts !== null && Object.values(verdicts).every(({ allowed }) => allowed);
}
