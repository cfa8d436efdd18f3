/**
 * The bytes of a robots.txt as the text of the editor, and back.
 *
 * In the text, a byte that is not valid UTF-8 is a lone surrogate from U+DC80 to U+DCFF, as in Python (PEP 383). So text
 * that is edited keeps all other bytes. UTF-16 with a byte order mark becomes characters. Lines end in LF.
 */

/** A file as it was read, and its text. */
export interface FileText {
  readonly text: string;
  /** The bytes as they were read: UTF-16, a byte order mark and CR survive until the text is edited. */
  readonly bytes: Uint8Array;
}

/** Content in a request or an answer of the API. */
export interface EncodedContent {
  readonly content: string;
  readonly content_encoding: "utf-8" | "base64";
}

const RAW_BYTE = /[\udc80-\udcff]/u;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function readBytes(bytes: Uint8Array): FileText {
  return { text: toLf(decodeBytes(bytes)), bytes };
}

/** Return the bytes of a text that UTF-8 alone cannot represent, or null if the text is enough. */
export function bytesOfText(text: string): Uint8Array | null {
  return RAW_BYTE.test(text) ? encodeText(text) : null;
}

/** Encode a text as UTF-8. Surrogates from U+DC80 to U+DCFF become the bytes for which they stand. */
export function encodeText(text: string): Uint8Array {
  if (!RAW_BYTE.test(text)) return encoder.encode(text);
  const parts = text.split(/([\udc80-\udcff]+)/u);
  return concat(parts.map((part, at) => (at % 2 === 0 ? encoder.encode(part) : Uint8Array.from(part, (unit) => unit.charCodeAt(0) - 0xdc00))));
}

/** Return content for a request: Base64 unless it is text. */
export function toContent(content: string | Uint8Array): EncodedContent {
  const bytes = typeof content === "string" ? bytesOfText(content) : content;
  if (bytes === null) return { content: content as string, content_encoding: "utf-8" };
  return { content: toBase64(bytes), content_encoding: "base64" };
}

/** Return the bytes of content in an answer. */
export function fromContent({ content, content_encoding }: EncodedContent): Uint8Array {
  return content_encoding === "base64" ? fromBase64(content) : encoder.encode(content);
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(toBinary(bytes));
}

export function fromBase64(text: string): Uint8Array {
  return fromBinary(atob(text));
}

/** Return a text with one character for each byte. */
export function toBinary(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return binary;
}

export function fromBinary(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Return a function from the byte offsets of the server to offsets in the text of the editor. The server counts the bytes
 * of the file in UTF-8, with its line ends as they are.
 */
export function spanOffsets(content: string | Uint8Array): (byte: number) => number {
  const text = typeof content === "string" ? content : decodeBytes(content);
  if (!/[^\x00-\x7f]|\r\n/.test(text)) return (byte) => Math.min(byte, text.length);
  // The places after which byte and character differ more than before.
  const starts: { readonly byte: number; readonly character: number }[] = [{ byte: 0, character: 0 }];
  let [byte, character] = [0, 0];
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const isPair = code > 0xffff;
    // The line feed of CR LF is not in the editor.
    const units = code === 0x0a && text[at - 1] === "\r" ? 0 : isPair ? 2 : 1;
    const bytes = isRawByte(code) || code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3;
    byte += bytes;
    character += units;
    if (bytes !== 1 || units !== 1) starts.push({ byte, character });
    at += isPair ? 2 : 1;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle]?.byte ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const known = starts[low - 1] ?? { byte: 0, character: 0 };
    return Math.min(character, known.character + offset - known.byte);
  };
}

export function toLf(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function isRawByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

const invalidUtf16 = new WeakMap<Uint8Array, boolean>();

/** Whether a file is UTF-16 that no text represents, so that an edit would lose bytes. */
export function isInvalidUtf16(bytes: Uint8Array | null): boolean {
  const encoding = bytes && utf16Of(bytes);
  if (bytes === null || encoding === null) return false;
  let isInvalid = invalidUtf16.get(bytes);
  if (isInvalid === undefined) {
    isInvalid = false;
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      isInvalid = true;
    }
    invalidUtf16.set(bytes, isInvalid);
  }
  return isInvalid;
}

/** Return the encoding that a byte order mark selects. */
function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
}

/** Decode a file as the library does: a byte order mark selects UTF-16. That of UTF-8 stays, as in the spans. */
function decodeBytes(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeInvalid(bytes);
  }
}

function decodeInvalid(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(decoder.decode(bytes.subarray(start, at)), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
      start = at + 1;
    }
    at += length || 1;
  }
  parts.push(decoder.decode(bytes.subarray(start)));
  return parts.join("");
}

/** Return the length of the character in UTF-8 that starts at a byte, or 0 if none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1] ?? 0;
  // Overlong forms, surrogates, and code points past U+10FFFF.
  const [low, high] = { 0xe0: [0xa0, 0xbf], 0xed: [0x80, 0x9f], 0xf0: [0x90, 0xbf], 0xf4: [0x80, 0x8f] }[first] ?? [0x80, 0xbf];
  if (second < (low ?? 0) || second > (high ?? 0)) return 0;
  for (let index = 2; index < length; index++) if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
