/** Offsets of the server count bytes of UTF-8; those of the editor count UTF-16 code units. */

/** Return a function from byte offsets to offsets in `text`. It is fast for text in ASCII. */
export function byteToCharacter(text: string): (byte: number) => number {
  if (!/[^\x00-\x7f]/.test(text)) return (byte) => Math.min(byte, text.length);
  const starts: { byte: number; character: number }[] = [];
  let byte = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > 1) starts.push({ byte: byte + bytes, character: at + units });
    byte += bytes;
    at += units;
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
    return Math.min(text.length, known.character + offset - known.byte);
  };
}
