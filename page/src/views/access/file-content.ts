/** The bytes and text of a file that the user opens or writes. */

/** Decode a file as the library does for its text: a byte order mark selects UTF-16. Lines end in LF. */
export function decode(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes).replace(/\r\n?/g, "\n");
}

/** Whether a file starts like HTML or XML, as the linter decides it. */
export function isMarkup(text: string): boolean {
  const head = text.slice(0, 1024).trimStart();
  return /^<(!doctype|html|head|body|\?xml|script|meta|title)/i.test(head) || /^<[^]*<(!doctype html|html|head|body)/i.test(head);
}
