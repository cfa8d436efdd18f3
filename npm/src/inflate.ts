/** Decompression of DEFLATE data (RFC 1951) without the runtime's help: browsers can only do it asynchronously. */

const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const DISTANCE_CODES = 30;
const MAX_BITS = 15;

/** Return the decompressed data, which has `size` bytes. The data must be valid: it is part of the package. */
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
    const [literals, distances] = bits(2) === 1 ? fixedTables() : dynamicTables(bits, symbol);
    for (let code = symbol(literals); code !== 256; code = symbol(literals)) {
      if (code < 256) {
        out[written++] = code;
        continue;
      }
      const length = (LENGTH_BASES[code - 257] as number) + bits(LENGTH_EXTRA[code - 257] as number);
      const distanceCode = symbol(distances);
      const extra = Math.max(0, (distanceCode >> 1) - 1);
      const distance = (distanceCode < 4 ? distanceCode : (2 + (distanceCode & 1)) << extra) + 1 + bits(extra);
      for (let end = written + length; written < end; written++) out[written] = out[written - distance] as number;
    }
  }
  return out;
}

type Tables = [literals: Uint16Array, distances: Uint16Array];

function fixedTables(): Tables {
  const lengths = Array.from({ length: 288 }, (_, code) => (code < 144 ? 8 : code < 256 ? 9 : code < 280 ? 7 : 8));
  return [table(lengths), table(new Array<number>(DISTANCE_CODES).fill(5))];
}

function dynamicTables(bits: (count: number) => number, symbol: (table: Uint16Array) => number): Tables {
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
