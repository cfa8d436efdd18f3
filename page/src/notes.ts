/** The linter's findings. A request is sent 300 ms after the last change. Answers about older texts are dropped. */

import type { FindingObject, LintReportObject } from "./api-types.js";
import type { App } from "./app.js";
import { fromContent, readBytes, spanOffsets } from "./bytes.js";
import { type Child, h } from "./dom.js";
import { ServerError } from "./server.js";
import { edition } from "./profiles.js";
import { shownAnswer, type State } from "./state.js";
import { draftContent } from "./views/parts/draft.js";

const DELAY_MS = 300;
/** Larger files are linted on request only. */
export const MAX_AUTOMATIC_BYTES = 64 * 1024;

/** The worst first. */
export const SEVERITIES = ["error", "warning", "info"] as const;

export interface Note {
  readonly code: string;
  readonly name: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly message: string;
  readonly effect: string | null;
  readonly howToFix: string;
  readonly line: number;
  /** Offsets in the text of the editor. */
  readonly from: number;
  readonly to: number;
  readonly fix: {
    /** "Fix" in the head applies it with the others. */
    readonly safe: boolean;
    readonly changesVerdicts: boolean;
    readonly edits: readonly Edit[];
  } | null;
}

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export type NotesState =
  | { readonly kind: "pending" | "on-request" | "off" }
  | { readonly kind: "ready"; readonly notes: readonly Note[]; readonly file: string; readonly bytes: Uint8Array | null }
  | { readonly kind: "failed"; readonly reason: string };

export class Notes {
  readonly #app: App;
  readonly #report: (state: NotesState) => void;
  #hasStarted = false;
  #timer = 0;
  #request: AbortController | null = null;

  constructor(app: App, report: (state: NotesState) => void) {
    this.#app = app;
    this.#report = report;
    // A file that was read is checked at once, a draft after typing pauses.
    app.on(["file", "bytes", "address", "fetched"], ({ edited }) => this.#later(edited ? DELAY_MS : 0));
    app.onResults(["engine", "matrix"], () => this.#start());
    this.#start();
  }

  /** Send the first request after the verdicts, because the server may be on the same machine. */
  #start(): void {
    const { engine, matrix } = this.#app.verdicts.results.state;
    if (this.#hasStarted || (engine !== "failed" && matrix === null)) return;
    this.#hasStarted = true;
    this.#later(0);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  /** Send a request now, even for a large file. */
  async ask(): Promise<void> {
    const { answers, store, texts } = this.#app;
    if (!answers) return;
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { file, bytes } = store.state;
    this.#report({ kind: "pending" });
    try {
      const body = lintRequest(store.state, texts.language);
      const { findings } = await answers.post<LintReportObject>("lint", body, request.signal);
      if (request.signal.aborted || store.state.file !== file || store.state.bytes !== bytes) return;
      this.#report({ kind: "ready", notes: toNotes(findings, bytes ?? file), file, bytes });
    } catch (error) {
      if (request.signal.aborted) return;
      this.#report({ kind: "failed", reason: error instanceof ServerError ? error.message : String(error) });
    }
  }

  #later(delay = DELAY_MS): void {
    clearTimeout(this.#timer);
    this.#request?.abort();
    if (!this.#app.answers) {
      this.#report({ kind: "off" });
    } else if (this.#app.store.state.file.length > MAX_AUTOMATIC_BYTES) {
      this.#report({ kind: "on-request" });
    } else {
      this.#timer = window.setTimeout(() => void this.ask(), delay);
    }
  }
}

/** Return a request to lint the draft. A fetched file is checked as `canfetch lint URL` does, with its delivery. */
export function lintRequest(state: State, language: string): object {
  const { address, profile } = state;
  const answer = shownAnswer(state);
  const delivery = answer && { robots_url: answer.robots_url, delivery: true, ...edition(profile) };
  return { ...draftContent(state), language, ...robotsUrl(address), ...delivery };
}

/** The linter compares the file with its address, which must be that of a robots.txt. */
export function robotsUrl(address: string): { robots_url?: string } {
  return /^https?:\/\/[^/\s]+\/robots\.txt$/.test(address) ? { robots_url: address } : {};
}

/** Whether a finding is about the response, and not about a line of the file. */
export function isAboutDelivery(code: string): boolean {
  return code.startsWith("CF8");
}

/** Return a message of the linter, which has neither a capital letter nor a full stop, as a sentence. */
export function sentence(text: string, language: string): string {
  const start = capitalized(text, language);
  return /[.!?。]$/.test(start) ? start : `${start}${language === "ja" ? "。" : "."}`;
}

export function capitalized(text: string, language: string): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

/** Return a message as nodes. The linter marks code with backticks. */
export function codeSpans(text: string): Child[] {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.startsWith("`") && part.length > 2 ? h("code", { translate: "no" }, part.slice(1, -1)) : part,
  );
}

/** Apply edits to a text. They do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { from, to, text: replacement } of [...edits].sort((a, b) => b.from - a.from)) {
    result = result.slice(0, from) + replacement + result.slice(to);
  }
  return result;
}

function toNotes(findings: readonly FindingObject[], content: string | Uint8Array): Note[] {
  const at = spanOffsets(content);
  return findings.map((finding) => ({
    code: finding.code,
    name: finding.name,
    severity: finding.severity,
    message: finding.message,
    effect: finding.effect,
    howToFix: finding.how_to_fix,
    line: finding.start.line,
    from: at(finding.span[0]),
    to: at(finding.span[1]),
    fix: finding.fix && {
      safe: finding.fix.safe,
      changesVerdicts: finding.fix.changes_verdicts,
      edits: finding.fix.edits.map(({ span, replacement, replacement_encoding: encoding }) => ({
        from: at(span[0]),
        to: at(span[1]),
        text: readBytes(fromContent({ content: replacement, content_encoding: encoding ?? "utf-8" })).text,
      })),
    },
  }));
}
