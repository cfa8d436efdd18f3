/** Verdicts, as `canfetch/core/verdict.py` defines them. */

import { displayText } from "../../page/src/engine/display-text.js";
import type { AgentChain } from "../../page/src/engine/types.js";
import type * as types from "../types/index.js";
import type { Explained } from "./engine.js";

const encoder = new TextEncoder();

export class Verdict implements types.Verdict {
  readonly allowed: boolean;
  readonly reason: types.Reason;
  readonly rule: types.Rule | null;
  readonly line: number | null;
  readonly alsoMatched: readonly types.Rule[];
  readonly group: types.GroupSelection;
  readonly agent: AgentChain;
  readonly target: string;
  readonly profile: string;
  /** A property of its own, so that copies of a verdict have it. */
  readonly explanation: string;

  constructor(explained: Explained, agent: AgentChain, profile: string) {
    const { reason, choice, token, lines, target, decides, rules } = explained;
    this.allowed = reason !== "disallow-rule";
    this.reason = reason;
    this.rule = decides ? (rules[0] ?? null) : null;
    this.line = this.rule?.line ?? null;
    this.alsoMatched = decides ? rules.slice(1) : rules;
    this.group = { choice, token: token === null ? null : displayText(encoder.encode(token)), lines };
    this.agent = { tokens: [...agent.tokens], starApplies: agent.starApplies };
    this.target = target;
    this.profile = profile;
    this.explanation = this.#explain();
  }

  #explain(): string {
    const { rule } = this;
    if (rule !== null) return `line ${rule.line}, ${rule.type === "allow" ? "Allow" : "Disallow"}: ${rule.pattern}`;
    const first = this.agent.tokens[0] as string;
    if (this.reason === "no-group") return `no group applies to ${first}`;
    if (this.reason === "robots-txt") return "/robots.txt is always allowed";
    return `no rule for ${this.group.token ?? first} matches`;
  }

  toString(): string {
    return `${this.allowed ? "allowed" : "disallowed"}: ${this.explanation}`;
  }
}
