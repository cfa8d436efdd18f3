/**
 * Replaces `fflate` in write-excel-file. Its `zip` starts workers from blobs for large files, which the page's policy
 * refuses.
 */

import { zipSync } from "fflate/browser";

export { strToU8, zipSync } from "fflate/browser";

type Files = Readonly<Record<string, Uint8Array>>;

export function zip(files: Files, done: (error: Error | null, archive: Uint8Array) => void): void {
  done(null, zipSync(files));
}
