/** The messages between the page and the worker. A message with an `id` is answered. */

import type {
  AgentChain,
  EngineErrorCode,
  Explanation,
  FileInfo,
  Reading,
  Readers,
  Verdicts,
} from "./types.js";

/** Changes of what later questions are about. */
export type Setting =
  | { readonly kind: "open"; readonly content: Uint8Array; readonly url: string | null }
  | { readonly kind: "targets"; readonly targets: readonly (string | Uint8Array)[] }
  | { readonly kind: "agents"; readonly agents: readonly AgentChain[] };

/** The compiled module, for which the answer to `start` waits. */
export interface ModuleMessage {
  readonly kind: "module";
  readonly module: WebAssembly.Module;
}

/** Questions about them, each with its answer. `matrix` has two answers: the verdicts, and then the differences. */
export interface Answers {
  start: readonly string[];
  open: null;
  matrix: Verdicts | Uint8Array | null;
  explain: Explanation;
  readings: Reading[];
  info: FileInfo;
  readers: Readers;
}

export type Question =
  | { readonly kind: "start"; readonly id: number }
  | ({ readonly id: number } & Extract<Setting, { kind: "open" }>)
  | { readonly kind: "matrix"; readonly id: number; readonly profile: string; readonly compareWith: readonly string[] }
  | {
      readonly kind: "explain";
      readonly id: number;
      readonly profile: string;
      readonly target: string | Uint8Array;
      readonly agent: AgentChain;
    }
  | {
      readonly kind: "readings";
      readonly id: number;
      readonly target: string | Uint8Array;
      readonly agent: AgentChain;
    }
  | { readonly kind: "info"; readonly id: number; readonly profile: string }
  | {
      readonly kind: "readers";
      readonly id: number;
      readonly profile: string;
      readonly line: number;
      readonly agents: readonly AgentChain[];
    };

export type Message = ModuleMessage | QueuedMessage;
/** Handled in the order of arrival. */
export type QueuedMessage = Question | Exclude<Setting, { kind: "open" }>;

export type Answer =
  | { readonly id: number; readonly part: number; readonly value: Answers[keyof Answers] }
  | { readonly id: number; readonly error: { readonly code: EngineErrorCode; readonly detail: string } };
