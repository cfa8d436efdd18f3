/** The messages between the page and the worker of the linter. */

/** The first message has the address of the folder with Pyodide; all others are requests, as the HTTP API has them. */
export type ToWorker = { readonly folder: string } | { readonly id: number; readonly path: string; readonly body: string };

export type FromWorker =
  | { readonly kind: "progress"; readonly loaded: number }
  /** The files are loaded. Python then starts, which takes a second or more. */
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string }
  /** `json` is an object with `value` or `problem`. */
  | { readonly kind: "answer"; readonly id: number; readonly json: string };
