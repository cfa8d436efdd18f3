/** Errors about arguments. */

import type { ArgumentErrorCode } from "../types/index.js";

const MAX_CHARACTERS = 200;

/** Return a value for an error message, shortened if it is long. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    const cut = value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value;
    return `'${JSON.stringify(cut).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
  }
  if (typeof value === "function") return "of type function";
  if (typeof value !== "object" || value === null) return String(value);
  const type: unknown = value.constructor?.name;
  return `of type ${typeof type === "string" ? type : "object"}`;
}

/** Check that an object has no other options than `names`. */
export function requireOptions(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw typeError("invalid-option", `unknown option ${shown(unknown)}: expected one of ${names.join(", ")}`);
}

/** Check that the buffer of an argument was not transferred to another thread. */
export function requireAttached(buffer: ArrayBufferLike, code: "invalid-content" | "invalid-url", value: unknown): void {
  try {
    new Uint8Array(buffer, 0, 0);
  } catch {
    const name = code === "invalid-url" ? "URL" : "content";
    throw typeError(code, `invalid ${name} ${shown(value)}: its buffer is detached, because it was transferred`);
  }
}

export function typeError(code: ArgumentErrorCode, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}
