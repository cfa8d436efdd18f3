/** Errors about arguments. */

import type { ArgumentErrorCode } from "../types/index.js";

const MAX_CHARACTERS = 200;

/** Return a value for an error message, shortened if it is long. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    const cut = value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value;
    return `'${JSON.stringify(cut).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
  }
  if (typeof value === "function") return `of type ${value.name === "" ? "function" : value.name}`;
  if (typeof value !== "object" || value === null) return String(value);
  const type: unknown = value.constructor?.name;
  return `of type ${typeof type === "string" ? type : "object"}`;
}

export function typeError(code: ArgumentErrorCode, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}
