/** Text as UTF-8, as the Python library encodes it. */

const SURROGATE = /\p{Surrogate}/u;

const encoder = new TextEncoder();

/** Encode text as UTF-8. A lone surrogate is encoded like a character, and not replaced by another one. */
export function encodeText(text: string): Uint8Array {
  if (!SURROGATE.test(text)) return encoder.encode(text);
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (SURROGATE.test(character)) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else bytes.push(...encoder.encode(character));
  }
  return new Uint8Array(bytes);
}
