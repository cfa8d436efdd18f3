/** Bytes of a file or a target as text, as `canfetch.core.text.display_text` shows them. */

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
// What Python's str.isprintable rejects.
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Decode UTF-8. Bytes that are invalid or not printable are percent-encoded, as in `%E9`. */
export function displayText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = validLength(bytes, at);
    text += length === 0 ? percent(bytes.subarray(at, at + 1)) : decoder.decode(bytes.subarray(at, at + length));
    at += length || 1;
  }
  return text.replace(UNPRINTABLE, (character) => percent(encoder.encode(character)));
}

/** Return the number of bytes from `start` that are valid UTF-8. */
function validLength(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const first = bytes[at] as number;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length === 0 || at + length > bytes.length) break;
    if (length > 1 && !isValid(bytes.subarray(at, at + length))) break;
    at += length;
  }
  return at - start;
}

function isValid(character: Uint8Array): boolean {
  try {
    decoder.decode(character);
    return true;
  } catch {
    return false;
  }
}

function percent(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
