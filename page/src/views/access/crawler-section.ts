/** What the registry knows about a crawler. */

import type { App } from "../../app.js";
import { type Child, h } from "../../dom.js";
import { purposeTexts } from "../../crawlers.js";

export function crawlerSection({ texts, verdicts }: App, token: string): HTMLElement {
  const crawler = verdicts.results.state.registry.find(token);
  const name = h("span", { translate: "no" }, token);
  const parts: Child[] = [];
  if (!crawler) {
    parts.push(texts.nodes("crawler_unlisted", { crawler: name }));
  } else {
    const { operator, obeys, source_kind: kind } = crawler;
    const key = `obeys_${obeys.replaceAll("-", "_") as "yes"}` as const;
    parts.push(texts.nodes("crawler_line", { operator, purpose: purposeTexts(crawler, texts) }), " ");
    if (crawler.token_only) parts.push(texts.nodes("crawler_token_only", { crawler: name, operator }), " ");
    parts.push(texts.nodes(kind === "operator" ? key : `${key}_third`, { operator }), " ");
    if (crawler.retired) parts.push(texts.t("crawler_retired"), " ");
    const verify = crawler.verification.address_lists[0];
    const link = (url: string, text: string): HTMLElement =>
      h("a", { href: url, rel: "noreferrer noopener", target: "_blank" }, text);
    if (verify) parts.push(link(verify, texts.t("verify_link")));
    else if (crawler.source.startsWith("https://")) parts.push(link(crawler.source, texts.t("source_link")));
  }
  return h("section", { class: "why-section" }, h("h3", {}, texts.t("the_crawler")), h("p", { class: "soft" }, parts));
}
