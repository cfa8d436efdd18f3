/** The answer as text and as a command, to be pasted elsewhere. */

import { h } from "../../dom.js";
import type { Texts } from "../../texts.js";
import type { Explained } from "../../verdict-model.js";
import { decisionNodes, groupNodes } from "./why-panel.js";
import { profileName } from "../../profiles.js";

export function answerText(explained: Explained, texts: Texts): string {
  const { explanation, crawler, url, profile } = explained;
  const key = explanation.allowed ? "may_fetch" : "may_not_fetch";
  const rules = [...(explanation.rule ? [explanation.rule] : []), ...explanation.alsoMatched];
  const plain = (nodes: Parameters<typeof h>[2]): string => h("span", {}, nodes).textContent;
  return [
    `${texts.t(key, { crawler })} ${url}`,
    plain(decisionNodes(explained, texts)),
    ...rules.map(({ line, allow, pattern }) => `  ${line}  ${allow ? "Allow" : "Disallow"}: ${pattern}`),
    plain(groupNodes(explained, texts)),
    `${texts.t("read_as")} ${profileName(profile, texts)}`,
  ].join("\n");
}

export function commandText({ url, crawler, profile }: Explained, address: string): string {
  const parts = ["canfetch", "explain", quote(url), "--agent", quote(crawler), "--robots", "robots.txt"];
  if (!url.startsWith("/") && /^https?:\/\/[^/]+\/robots\.txt$/.test(address)) parts.push("--robots-url", quote(address));
  if (profile !== "rfc9309") parts.push("--profile", profile);
  return parts.join(" ");
}

/** Quote for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
