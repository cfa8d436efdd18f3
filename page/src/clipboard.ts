/** Copies text, or reports that the browser does not allow it. */

import type { App } from "./app.js";
import type { TextKey } from "./texts.js";

export async function copy(
  text: string,
  { texts, toast }: App,
  done: TextKey = "copied",
  failed: TextKey = "copy_failed",
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(texts.t(done));
  } catch {
    toast(texts.t(failed));
  }
}

/** Save content as a file. */
export function save(name: string, content: BlobPart): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
