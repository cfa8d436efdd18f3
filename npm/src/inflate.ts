/** Decompression of DEFLATE data (RFC 1951) without the runtime's help: browsers can only do it asynchronously. */

const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_BITS = 15;

/**
 * Return the decompressed data, which has `size` bytes.
 *
 * The data must be valid, because it is part of the package, and must have no blocks without compression or with the
 * fixed codes, which zlib writes only for small or random data.
 */
export function inflate(data: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  let [at, written, buffer, available] = [0, 0, 0, 0];

  const bits = (count: number): number => {
    while (available < count) {
      buffer |= (data[at++] ?? 0) << available;
      available += 8;
    }
    const value = buffer & ((1 << count) - 1);
    buffer >>>= count;
    available -= count;
    return value;
  };

  /** Read a code with a table: the entry at the next 15 bits is the symbol times 16, plus the length of its code. */
  const symbol = (table: Uint16Array): number => {
    while (available < MAX_BITS) {
      buffer |= (data[at++] ?? 0) << available;
      available += 8;
    }
    const entry = table[buffer & ((1 << MAX_BITS) - 1)] as number;
    buffer >>>= entry & 15;
    available -= entry & 15;
    return entry >>> 4;
  };

  for (let last = 0; last === 0; ) {
    last = bits(1);
    // The type of the block, which is always 2: with codes of its own.
    bits(2);
    const [literals, distances] = readTables(bits, symbol);
    for (let code = symbol(literals); code !== 256; code = symbol(literals)) {
      if (code < 256) {
        out[written++] = code;
        continue;
      }
      const lengthBits = code < 265 || code === 285 ? 0 : (code - 261) >> 2;
      const shortest = code < 265 ? code - 254 : code === 285 ? 258 : ((4 + ((code - 265) & 3)) << lengthBits) + 3;
      const length = shortest + bits(lengthBits);
      const distanceCode = symbol(distances);
      const extra = Math.max(0, (distanceCode >> 1) - 1);
      const distance = (distanceCode < 4 ? distanceCode : (2 + (distanceCode & 1)) << extra) + 1 + bits(extra);
      for (let end = written + length; written < end; written++) out[written] = out[written - distance] as number;
    }
  }
  return out;
}

/** The tables of literals and lengths, and of distances. */
type Tables = [Uint16Array, Uint16Array];

function readTables(bits: (count: number) => number, symbol: (table: Uint16Array) => number): Tables {
  const [literals, distances, count] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
  const order = new Array<number>(ORDER.length).fill(0);
  for (let index = 0; index < count; index++) order[ORDER[index] as number] = bits(3);
  const codes = table(order);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const code = symbol(codes);
    if (code < 16) lengths.push(code);
    else {
      const repeated = code === 16 ? (lengths.at(-1) as number) : 0;
      const times = code === 16 ? 3 + bits(2) : code === 17 ? 3 + bits(3) : 11 + bits(7);
      for (let time = 0; time < times; time++) lengths.push(repeated);
    }
  }
  return [table(lengths.slice(0, literals)), table(lengths.slice(literals))];
}

/** Return the table of a canonical Huffman code, whose bits are read from the lowest to the highest. */
function table(lengths: readonly number[]): Uint16Array {
  const entries = new Uint16Array(1 << MAX_BITS);
  let code = 0;
  for (let length = 1; length <= MAX_BITS; length++) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let index = reversed; index < entries.length; index += 1 << length) entries[index] = (symbol << 4) | length;
      code++;
    }
    code <<= 1;
  }
  return entries;
}
